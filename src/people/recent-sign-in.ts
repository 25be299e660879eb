import type { Db } from '../db/connect'
import { conflict } from '../errors'

/** Minutes after a sign-in in which a way to sign in can be added without the password (contract 3.15, 3.22). */
const RECENT_MINUTES = 15

/** Whether a session began recently: a stolen one must not become a way to sign in that lasts. */
export const isRecent = async (db: Db, sessionId: string): Promise<boolean> => {
  const [session] = await db<{ recent: boolean }[]>`
    SELECT created_at > clock_timestamp() - make_interval(mins => ${RECENT_MINUTES}) AS recent
    FROM sessions WHERE id = ${sessionId}`
  return session?.recent === true
}

/** For a user who has no password to confirm with. `then` is what the user wanted. */
export const signInAgain = (email: string, then: string) =>
  conflict(
    `You signed in more than ${RECENT_MINUTES} minutes ago. Sign out and in again, then ${then}. Without a passkey or single sign-on, get a new link first: from an owner of the account, or with arden users invite --email ${email}.`,
  )

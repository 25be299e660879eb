import { type AuditContext, recordAudit } from '../accounts/audit'
import { lockAccount } from '../accounts/store'
import type { Db, Tx } from '../db/connect'
import { conflict } from '../errors'
import type { RequiredSignIn } from './schema'
import type { Session } from './sessions'

/** The way to sign in that an account requires (contract 3.24). */

/** Null when the account accepts every way. */
export const readRequiredSignIn = async (
  db: Db,
  accountId: string,
): Promise<RequiredSignIn | null> => {
  const [account] = await db<{ required: RequiredSignIn | null }[]>`
    SELECT required_sign_in AS required FROM accounts WHERE id = ${accountId}`
  return account?.required ?? null
}

/** Why single sign-on cannot be required where no provider is configured: no user could sign in. */
export const NO_PROVIDER = 'This Arden has no OpenID Connect provider. An operator configures it.'

/**
 * Requires a way to sign in of every user of the account, or none. It applies to the next request of sessions that began
 * otherwise.
 */
export const setRequiredSignIn = async (
  tx: Tx,
  audit: AuditContext,
  required: RequiredSignIn | null,
): Promise<void> => {
  const { accountId } = audit
  await lockAccount(tx, accountId)
  const before = await readRequiredSignIn(tx, accountId)
  if (required === before) return
  await tx`UPDATE accounts SET required_sign_in = ${required} WHERE id = ${accountId}`
  await recordAudit(tx, audit, 'account.required_sign_in_changed', accountId, {
    required_sign_in: { from: before, to: required },
  })
}

/**
 * An owner requires only what this session has shown to work.
 * @throws {DomainError} CONFLICT
 */
export const checkNoLockout = ({ method }: Session, required: RequiredSignIn | null): void => {
  if (required === null || method === required) return
  throw conflict(
    required === 'oidc'
      ? 'Sign in with single sign-on yourself first, so that you are not locked out.'
      : 'Add a passkey, or sign in with yours, before you require one, so that you are not locked out.',
  )
}

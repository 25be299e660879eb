import type { Sql } from '../../db/connect'
import type { ClientAddress } from '../../http/request/client-address'
import type { PublishChange } from '../../notifications/changes'
import type { SignedIn } from '../../people/sign-in'
import type { LimitAttempts } from '../../people/sign-in-throttle'
import type { VisitorLimits } from '../../people/visitor-limits'
import { setToken } from '../access/cookie'

/** Returns the cookie of a new session, and updates the open pages that list users and the audit history. */
type OnSignedIn = (signedIn: SignedIn) => string

/** What every way to sign in needs. */
export type SignInDeps = {
  sql: Sql
  clientAddress: ClientAddress
  limitAttempts: LimitAttempts
  visitorLimits: VisitorLimits
  onSignedIn: OnSignedIn
}

export const createOnSignedIn =
  (publishChange: PublishChange): OnSignedIn =>
  ({ token, accountId }) => {
    publishSessions(publishChange, accountId)
    return setToken(token)
  }

/** Updates the open pages that show sessions: they show when users were last seen, and the audit history has each. */
export const publishSessions = (publishChange: PublishChange, accountId: string): void =>
  publishChange({ accountId, mode: 'live' }, 'people', 'audit')

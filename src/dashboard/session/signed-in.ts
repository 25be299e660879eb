import type { PublishChange } from '../../notifications/changes'
import type { SignedIn } from '../../people/sign-in'
import { setToken } from '../access/cookie'

/** Returns the cookie of a new session, and updates the open pages that list users and the audit history. */
export type OnSignedIn = (signedIn: SignedIn) => string

export const createOnSignedIn =
  (publishChange: PublishChange): OnSignedIn =>
  ({ token, accountId }) => {
    publishChange({ accountId, mode: 'live' }, 'people', 'audit')
    return setToken(token)
  }

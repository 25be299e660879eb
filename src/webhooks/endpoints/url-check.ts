import { limitConcurrencyPerKey } from '../../db/limit-concurrency'
import { explainLockTimeout } from '../../http/response/errors'
import { type AddressRules, checkWebhookUrl } from '../transport/address'

/** Lookups of an account at a time: each takes up to 24 ms of CPU, and up to 5 s without a response. */
const LOOKUPS_PER_ACCOUNT = 2
const IS_BUSY =
  'Nothing was changed: the names of other webhook URLs of the account did not resolve in time. Try again later.'

const ofAccount = limitConcurrencyPerKey(LOOKUPS_PER_ACCOUNT)

/**
 * `checkWebhookUrl` in the account's turn (contract 4.3), before the transaction, because a lookup must not hold a lock.
 * @throws {DomainError} as `checkWebhookUrl` does; UNAVAILABLE after 10 s without a turn.
 */
export const checkUrlInTurn = (
  { accountId }: { accountId: string },
  url: string,
  rules: AddressRules,
): Promise<void> =>
  ofAccount(accountId, () => checkWebhookUrl(url, rules)).catch(explainLockTimeout(IS_BUSY))

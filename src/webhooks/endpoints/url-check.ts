import { limitConcurrencyPerKey } from '../../db/limit-concurrency'
import { DomainError } from '../../errors'
import { explainLockTimeout } from '../../http/response/errors'
import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'
import { type AddressRules, checkWebhookUrl } from '../transport/address'
import { createIsolatedLookup } from '../transport/isolated-lookup'
import { createIsolatedReceivers } from '../transport/isolated-receivers'
import { createIsolatedThreads, ThreadEnded } from '../transport/isolated-threads'

/** Lookups of an account at a time: each takes up to 24 ms of CPU, and up to 5 s without a response. */
const LOOKUPS_PER_ACCOUNT = 2
const IS_BUSY =
  'Nothing was changed: the names of other webhook URLs of the account did not resolve in time. Try again later.'
const HAS_NO_THREAD =
  'Nothing was changed: the name of the webhook URL could not be resolved, because a thread of this process ended. Try again.'

const ofAccount = limitConcurrencyPerKey(LOOKUPS_PER_ACCOUNT)
const lookupOf = createIsolatedLookup(
  createIsolatedReceivers(),
  createIsolatedThreads({ timeoutMs: RESPONSE_TIMEOUT_MS }),
)

/**
 * `checkWebhookUrl` in the account's turn (contract 4.3), before the transaction, because a lookup must not hold a lock.
 * An account whose names had too many addresses has a thread for its lookups.
 * @throws {DomainError} as `checkWebhookUrl` does; UNAVAILABLE after 10 s without a turn, and when the thread ended.
 */
export const checkUrlInTurn = (
  { accountId }: { accountId: string },
  url: string,
  rules: AddressRules,
): Promise<void> =>
  ofAccount(accountId, () => checkWebhookUrl(url, rules, lookupOf(accountId)))
    .catch(explainLockTimeout(IS_BUSY))
    .catch(explainEndedThread)

const explainEndedThread = (error: unknown): never => {
  throw error instanceof ThreadEnded ? new DomainError('UNAVAILABLE', HAS_NO_THREAD) : error
}

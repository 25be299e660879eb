import type { Caller } from '../../caller'
import { conflict } from '../../errors'
import { createStreamCounter } from '../../http/response/stream-limit'

/**
 * Open event streams of one process (contract 5.16). Each costs a connection and a query at every sweep and at every
 * change of the account. The limit per account is needed because keys can be created freely.
 */
export const STREAMS_OF_KEY_MAX = 10
export const STREAMS_OF_ACCOUNT_MAX = 50

/**
 * Counts a stream of the caller and returns the function that ends it; calling that again does nothing.
 * @throws {DomainError} CONFLICT at the limit of the key or of the account.
 */
export type OpenStream = (caller: Caller) => () => void

export const createStreamLimit = (): OpenStream => {
  const open = createStreamCounter()
  return ({ accountId, actor }) =>
    open([
      {
        id: actor.id,
        max: STREAMS_OF_KEY_MAX,
        full: () =>
          conflict(
            `The key ${actor.id} has ${STREAMS_OF_KEY_MAX} open event streams, the limit for one key. Close one, or use another key.`,
          ),
      },
      {
        id: accountId,
        max: STREAMS_OF_ACCOUNT_MAX,
        full: () =>
          conflict(
            `The keys of your account have ${STREAMS_OF_ACCOUNT_MAX} open event streams, the limit for one account. Close one.`,
          ),
      },
    ])
}

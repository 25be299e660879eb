import type { Caller } from '../../caller'
import { conflict } from '../../errors'
import { createStreamCounter } from '../../http/response/stream-limit'

/** Open streams of one process (contract 3.17). A page that the user can see has one. */
const STREAMS_OF_USER_MAX = 20
const STREAMS_OF_ACCOUNT_MAX = 200
const STREAMS_MAX = 2_000

/**
 * Returns a function that counts a stream and returns the function that ends it.
 * @throws {DomainError} CONFLICT at the limit of the user, of the account or of the process.
 */
export const createPageStreamLimit = () => {
  const open = createStreamCounter()
  return ({ accountId, actor }: Caller) =>
    open([
      {
        id: actor.id,
        max: STREAMS_OF_USER_MAX,
        full: () =>
          conflict(
            `${actor.name} has ${STREAMS_OF_USER_MAX} open pages with live updates. Close one.`,
          ),
      },
      {
        id: accountId,
        max: STREAMS_OF_ACCOUNT_MAX,
        full: () =>
          conflict(
            `The users of your account have ${STREAMS_OF_ACCOUNT_MAX} open pages with live updates. Close one.`,
          ),
      },
      {
        id: 'process',
        max: STREAMS_MAX,
        full: () =>
          conflict(`This server has ${STREAMS_MAX} open pages with live updates. Try again later.`),
      },
    ])
}

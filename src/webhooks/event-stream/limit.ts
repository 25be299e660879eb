import type { Caller } from '../../caller'
import { conflict } from '../../errors'

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
  const open = new Map<string, number>()
  const add = (id: string, change: 1 | -1) => {
    const count = (open.get(id) ?? 0) + change
    if (count === 0) open.delete(id)
    else open.set(id, count)
  }
  return ({ accountId, actor }) => {
    if ((open.get(actor.id) ?? 0) >= STREAMS_OF_KEY_MAX)
      throw conflict(
        `The key ${actor.id} has ${STREAMS_OF_KEY_MAX} open event streams, the limit for one key. Close one, or use another key.`,
      )
    if ((open.get(accountId) ?? 0) >= STREAMS_OF_ACCOUNT_MAX)
      throw conflict(
        `The keys of your account have ${STREAMS_OF_ACCOUNT_MAX} open event streams, the limit for one account. Close one.`,
      )
    const counted = [actor.id, accountId]
    for (const id of counted) add(id, 1)
    return () => {
      for (const id of counted.splice(0)) add(id, -1)
    }
  }
}

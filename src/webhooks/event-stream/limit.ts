import type { Caller } from '../../caller'
import { conflict } from '../../errors'

/**
 * Streams that are open at a time in one process, whose connections and queries each of them costs: one at
 * every sweep, and one whenever anything of the account changes. Keys can be made freely, so that a limit of
 * the key alone would guard nothing.
 */
export const STREAMS_OF_KEY_MAX = 10
export const STREAMS_OF_ACCOUNT_MAX = 50

/**
 * Takes a place for a stream of the caller, and answers what gives it back, once.
 * @throws {DomainError} CONFLICT when its key or its account has as many as it may.
 */
export type OpenStream = (caller: Caller) => () => void

export const createStreamLimit = (): OpenStream => {
  const taken = new Map<string, number>()
  const add = (id: string, change: 1 | -1) => {
    const now = (taken.get(id) ?? 0) + change
    if (now === 0) taken.delete(id)
    else taken.set(id, now)
  }
  return ({ accountId, actor }) => {
    if ((taken.get(actor.id) ?? 0) >= STREAMS_OF_KEY_MAX)
      throw conflict(
        `The key ${actor.id} has ${STREAMS_OF_KEY_MAX} event streams open, as many as one key may. Close one, or use another key.`,
      )
    if ((taken.get(accountId) ?? 0) >= STREAMS_OF_ACCOUNT_MAX)
      throw conflict(
        `The keys of your account have ${STREAMS_OF_ACCOUNT_MAX} event streams open, as many as an account may. Close one.`,
      )
    const places = [actor.id, accountId]
    for (const id of places) add(id, 1)
    return () => {
      for (const id of places.splice(0)) add(id, -1)
    }
  }
}

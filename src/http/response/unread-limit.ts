import type { Caller } from '../../caller'
import { TooManyRequests } from '../../errors'

/**
 * MiB of responses in one process that have not been read yet (contract 2.5), for each key or user and for each
 * account. Reads that run when a limit is reached add a page each.
 */
const CALLER_MAX_MIB = 16
const ACCOUNT_MAX_MIB = 64
/** Seconds. A client that reads may have read a page by then. */
const RETRY_AFTER_S = 1

/** Responses are counted for the key or user that requested them, and for its account. */
export type Reader = Pick<Caller, 'accountId' | 'actor'>

export type UnreadLimit = {
  /** @throws {TooManyRequests} for a key, a user or an account that has reached its limit. */
  check: (reader: Reader) => void
  /**
   * For a write with a large response. Only unread responses to writes count, so that a key that reads nothing cannot
   * refuse the writes of others unless it could do more. @throws {TooManyRequests} for an account at its limit.
   */
  checkWrite: (reader: Reader) => void
  /** Counts `bytes` until the returned function is called; calling that again does nothing. */
  add: (reader: Reader, bytes: number, method?: 'read' | 'write') => () => void
}

/**
 * Counts the bytes that are kept for slow clients. A key may send thousands of requests, and without a limit clients
 * that read nothing would fill the memory of the process, each with a page.
 */
export const createUnreadLimit = (): UnreadLimit => {
  /** Bytes by the id of a key, a user or an account. */
  const unread = new Map<string, number>()
  const change = (id: string, bytes: number) => {
    const total = (unread.get(id) ?? 0) + bytes
    if (total === 0) unread.delete(id)
    else unread.set(id, total)
  }
  const hasReached = (id: string, mib: number) => (unread.get(id) ?? 0) >= mib * 1024 ** 2
  return {
    check: ({ actor, accountId }) => {
      if (hasReached(actor.id, CALLER_MAX_MIB))
        throw tooMuch(`the ${actor.type} ${actor.id}`, CALLER_MAX_MIB)
      if (hasReached(accountId, ACCOUNT_MAX_MIB))
        throw tooMuch('the keys and users of your account', ACCOUNT_MAX_MIB)
    },
    checkWrite: ({ accountId }) => {
      if (hasReached(writesOf(accountId), ACCOUNT_MAX_MIB))
        throw tooMuch('the writes of your account', ACCOUNT_MAX_MIB)
    },
    add: ({ actor, accountId }, bytes, method = 'read') => {
      const counted = [actor.id, accountId]
      if (method === 'write') counted.push(writesOf(accountId))
      for (const id of counted) change(id, bytes)
      return () => {
        for (const id of counted.splice(0)) change(id, -bytes)
      }
    },
  }
}

/** The id of the responses to writes of an account. */
const writesOf = (accountId: string) => `${accountId} writes`

const tooMuch = (readers: string, mib: number) =>
  new TooManyRequests(
    `The unread responses of ${readers} have reached ${mib} MiB. Read them, then try again in ${RETRY_AFTER_S} second, with fewer requests at a time.`,
    RETRY_AFTER_S,
  )

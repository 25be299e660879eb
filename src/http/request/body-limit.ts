import { TooManyRequests } from '../../errors'
import { getCaller } from './caller'

/**
 * MiB of request bodies of one account that a process keeps at a time (contract 2.5). Each byte takes about five in
 * memory until its response: 300 bodies of 1 MB took 1.6 GB.
 */
const ACCOUNT_MAX_MIB = 16
/** A body of at most so many bytes is never refused, so that a user who uses up the limit can be disabled, and a key revoked. */
const SMALL_BYTES = 4 * 1024
const RETRY_AFTER_S = 1

/** Bytes by account, and of each request that has a body. */
const ofAccounts = new Map<string, number>()
const ofRequests = new WeakMap<Request, { accountId: string; bytes: number }>()

/**
 * Counts `bytes` of the body of a request, before they are read, until `releaseBody`. A request without a caller is not
 * counted: its body is small.
 * @throws {TooManyRequests} when the bodies of the account would exceed the limit.
 */
export const countBody = (request: Request, bytes: number): void => {
  const accountId = getCaller(request)?.accountId
  if (accountId === undefined) return
  const ofAccount = (ofAccounts.get(accountId) ?? 0) + bytes
  const ofRequest = (ofRequests.get(request)?.bytes ?? 0) + bytes
  if (ofAccount > ACCOUNT_MAX_MIB * 1024 ** 2 && ofRequest > SMALL_BYTES) throw tooMuch()
  ofAccounts.set(accountId, ofAccount)
  ofRequests.set(request, { accountId, bytes: ofRequest })
}

/** Ends the count of a request, when its response is ready. */
export const releaseBody = (request: Request): void => {
  const counted = ofRequests.get(request)
  if (counted === undefined) return
  ofRequests.delete(request)
  const rest = (ofAccounts.get(counted.accountId) ?? 0) - counted.bytes
  if (rest > 0) ofAccounts.set(counted.accountId, rest)
  else ofAccounts.delete(counted.accountId)
}

const tooMuch = () =>
  new TooManyRequests(
    `The requests of your account that are in progress have ${ACCOUNT_MAX_MIB} MiB of bodies, the limit. Send fewer large requests at a time, and try again in ${RETRY_AFTER_S} second.`,
    RETRY_AFTER_S,
  )

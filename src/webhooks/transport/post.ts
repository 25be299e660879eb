/**
 * One request to a receiver, over connections of our own (connections.ts, exchange.ts). Bun's fetch runs at most 256
 * requests at a time per process, so endpoints that do not respond would block all others; it obeys HTTP_PROXY
 * and costs 0.033 ms of CPU, node:https 0.046 ms, this 0.013 ms (docs/decisions/deliveries.md). Proxies are not
 * supported.
 */
import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'
import { createConnections } from './connections'
import { createDeadlines, type Deadline } from './deadlines'
import type { Address, Lookup } from './dns'
import { describeConnectionError, isLocalResourceError, toErrorText } from './error-text'
import { type AddressedRequest, type PostOutcome, sendRequest } from './exchange'
import { createHandshakeTurns } from './handshake-turns'
import { createIsolatedLookup } from './isolated-lookup'
import { createIsolatedReceivers } from './isolated-receivers'
import { createIsolatedThreads, ThreadEnded } from './isolated-threads'
import type { HeadMethod } from './response'
import { HANDSHAKE_MAX_BYTES, HandshakeError, LargeHandshake } from './tls-socket'

/** Idle connections of a worker. Bun raises its limit of open files to the hard one, 524,288 by default. */
const IDLE_MAX = 10_000

export type PostRequest = {
  /** The account that chose the URL. */
  accountId: string
  url: URL
  /**
   * Returns the checked address to connect to; no other is used (contract 4.3). `deadline` aborts when the request
   * ends. `lookup` resolves names for the account.
   */
  resolve: (deadline: Pick<Deadline, 'signal'>, lookup: Lookup) => Promise<Address>
  headers: Record<string, string>
  body: string
  /** In place of a POST, for the check of a link. */
  method?: HeadMethod
  /** Cancels the request: the promise rejects with the reason of the signal. */
  signal: AbortSignal
}

/**
 * Rejects when `signal` aborts, and when this machine cannot open a connection or its thread ends; otherwise it has an
 * outcome.
 */
export type Post = (request: PostRequest) => Promise<PostOutcome>

/**
 * `timeoutMs` is the response timeout (contract 5.5), from the DNS lookup on. `ca`: PEM certificates to trust
 * instead of those of the system.
 */
export const createPost = (options: { timeoutMs?: number; ca?: string } = {}): Post => {
  const { timeoutMs = RESPONSE_TIMEOUT_MS, ca } = options
  const connections = createConnections({
    ca,
    handshakeMaxBytes: HANDSHAKE_MAX_BYTES,
    idleMax: IDLE_MAX,
  })
  const startDeadline = createDeadlines(timeoutMs)
  const isolated = createIsolatedReceivers()
  const readInTurn = createHandshakeTurns()
  const threads = createIsolatedThreads({ timeoutMs, ca })
  const lookupOf = createIsolatedLookup(isolated, threads)

  /** Sends here, or in a thread of the account where the handshake failed lately, or is too expensive for here. */
  const send = async (accountId: string, request: AddressedRequest, deadline: Deadline) => {
    const { hostname } = request.url
    const inTurn = (read: (isPermitted: boolean) => void) =>
      readInTurn(accountId, () => read(!isolated.has(accountId, hostname)))
    if (!isolated.has(accountId, hostname)) {
      try {
        return await sendRequest({ ...request, account: accountId, inTurn }, connections, deadline)
      } catch (error) {
        if (!(error instanceof HandshakeError)) throw error
        isolated.add(accountId, hostname)
        if (!(error.cause instanceof LargeHandshake)) throw error
      }
    }
    const { outcome, isHandshakeError } = await threads.send(accountId, request, deadline)
    if (isHandshakeError) isolated.add(accountId, hostname)
    return outcome
  }

  const post: Post = async request => {
    request.signal.throwIfAborted()
    const deadline = startDeadline(request.signal)
    try {
      const address = await beforeDeadline(
        request.resolve(deadline, lookupOf(request.accountId)),
        deadline,
      )
      const { accountId, url, headers, body, method } = request
      const outcome = await send(accountId, { url, address, headers, body, method }, deadline)
      request.signal.throwIfAborted()
      return outcome
    } catch (error) {
      request.signal.throwIfAborted()
      if (isLocalResourceError(error) || error instanceof ThreadEnded) throw error
      return { httpStatus: null, responseBody: null, error: describeConnectionError(error) }
    } finally {
      deadline.dispose()
    }
  }
  return async request => {
    const outcome = await post(request)
    return outcome.error === null ? outcome : { ...outcome, error: toErrorText(outcome.error) }
  }
}

const beforeDeadline = <T>(promise: Promise<T>, deadline: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    deadline.onTimeout(reject)
    promise.then(resolve, reject)
  })

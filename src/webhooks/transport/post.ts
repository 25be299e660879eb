/**
 * One POST to a receiver, over connections of our own (connections.ts, response.ts). Bun's fetch runs at most 256
 * requests at a time per process, so endpoints that do not respond would block all others; it obeys HTTP_PROXY
 * and costs 0.033 ms of CPU, node:https 0.046 ms, this 0.013 ms (docs/decisions/deliveries.md). Redirects are not
 * followed, content encodings not decoded, proxies not supported.
 */

import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'
import {
  type Connections,
  connectionReset,
  createConnections,
  type HttpConnection,
} from './connections'
import { createDeadlines, type Deadline } from './deadlines'
import type { Address } from './dns'
import {
  describeConnectionError,
  describeStatus,
  isLocalResourceError,
  toErrorText,
} from './error-text'
import { createResponseReader } from './response'

/** Stored bytes of a response body (contract 5.6). A longer response ends the connection. */
const BODY_MAX_BYTES = 64 * 1024

export type PostRequest = {
  url: URL
  /**
   * Returns the checked address to connect to; no other is used (contract 4.3). `deadline` aborts when the request
   * ends.
   */
  resolve: (deadline: Pick<Deadline, 'signal'>) => Promise<Address>
  headers: Record<string, string>
  body: string
  /** Cancels the request: the promise rejects with the reason of the signal. */
  signal: AbortSignal
}

/** `error` is the text of contract 5.7, null after a 2xx. */
type PostOutcome = {
  httpStatus: number | null
  responseBody: string | null
  error: string | null
}

/** Rejects when `signal` aborts, and when this machine cannot open a connection; otherwise it has an outcome. */
export type Post = (request: PostRequest) => Promise<PostOutcome>

/**
 * `timeoutMs` is the response timeout (contract 5.5), from the DNS lookup on. `ca`: PEM certificates to trust
 * instead of those of the system.
 */
export const createPost = (options: { timeoutMs?: number; ca?: string } = {}): Post => {
  const { timeoutMs = RESPONSE_TIMEOUT_MS, ca } = options
  const connections = createConnections(ca)
  const startDeadline = createDeadlines(timeoutMs)

  const post: Post = async request => {
    request.signal.throwIfAborted()
    const deadline = startDeadline(request.signal)
    try {
      const address = await beforeDeadline(request.resolve(deadline), deadline)
      const outcome = await sendRequest(request, address, connections, deadline)
      request.signal.throwIfAborted()
      return outcome
    } catch (error) {
      request.signal.throwIfAborted()
      if (isLocalResourceError(error)) throw error
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

/**
 * Where the endpoint closes an idle connection just as it is used again, without a byte of a response, the
 * request is sent once more on a new connection, within the same attempt.
 */
const sendRequest = async (
  request: PostRequest,
  address: Address,
  connections: Connections,
  deadline: Deadline,
): Promise<PostOutcome> => {
  const destination = { url: request.url, address }
  const text = toHttp(request)
  const idle = connections.takeIdle(destination)
  const outcome = idle && (await exchange(idle, text, deadline))
  if (outcome !== undefined && !('closedBy' in outcome)) return outcome
  const fresh = await exchange(await connections.open(destination, deadline), text, deadline)
  if ('closedBy' in fresh) throw fresh.closedBy
  return fresh
}

/**
 * Sends the request and reads the response. `closedBy`: the connection closed before the first byte of one. Once
 * the headers have arrived the outcome is certain: the body is what has arrived by the deadline, the size limit
 * or the close of the connection.
 */
const exchange = (
  connection: HttpConnection,
  text: string,
  deadline: Deadline,
): Promise<PostOutcome | { closedBy: unknown }> =>
  new Promise((resolve, reject) => {
    const response = createResponseReader(BODY_MAX_BYTES)
    let hasByte = false
    const finish = (error?: unknown) => {
      deadline.onTimeout(undefined)
      const status = response.status()
      if (response.isReusable()) connection.release(response.keepAliveS())
      else connection.destroy()
      if (status !== undefined)
        resolve({
          httpStatus: status,
          responseBody: decode(response.body()),
          error: describeStatus(status, response.location()),
        })
      else if (hasByte || deadline.hasPassed()) reject(error)
      else resolve({ closedBy: error })
    }
    connection.attach({
      data: chunk => {
        hasByte = true
        try {
          response.read(chunk)
          if (response.isDone()) finish()
        } catch (error) {
          finish(error)
        }
      },
      closed: error => {
        response.close()
        finish(error ?? connectionReset())
      },
    })
    connection.write(text)
    deadline.onTimeout(finish)
  })

const toHttp = ({ url, headers, body }: PostRequest): string => {
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** PostgreSQL text cannot store U+0000. `stream` drops a character that was cut in two. */
const decode = ({ bytes, isComplete }: { bytes: Buffer; isComplete: boolean }): string => {
  const text = new TextDecoder().decode(bytes, { stream: !isComplete }).replaceAll('\0', '\uFFFD')
  if (Buffer.byteLength(text) <= BODY_MAX_BYTES) return text
  // A replacement character has three bytes, so 64 KiB that are not UTF-8 would be stored as 192 KiB.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, BODY_MAX_BYTES), { stream: true })
}

const beforeDeadline = <T>(promise: Promise<T>, deadline: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    deadline.onTimeout(reject)
    promise.then(resolve, reject)
  })

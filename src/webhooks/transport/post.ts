/**
 * One POST to a receiver, over a connection of our own (`connections.ts`, `answer.ts`), because delivering is
 * what Arden does most. Bun's fetch has 256 requests under way at most in a process, so endpoints that
 * never answer would stop all others, obeys HTTP_PROXY, and costs 0.033 ms of CPU; node:https 0.046; this
 * 0.013 (docs/decisions/deliveries.md). It follows no redirect, unpacks nothing, and knows no proxy.
 */

import { RESPONSE_TIMEOUT_MS } from '../retry-schedule'
import {
  type Connection,
  type Connections,
  connectionReset,
  createConnections,
} from './connections'
import { createDeadlines, type Deadline } from './deadlines'
import type { Address } from './dns'
import { describeConnectionError, describeStatus, isLocalResourceError } from './error-text'
import { createResponseReader } from './response'

/** Of an answer's body this much is read, then the connection is closed (contract 5.6). */
const BODY_MAX_BYTES = 64 * 1024

export type PostRequest = {
  url: URL
  /**
   * Answers the checked address to connect to: whatever the URL's name says, no other is used. Nobody waits
   * for it any more once the end has come.
   */
  resolve: (end: Pick<Deadline, 'signal'>) => Promise<Address>
  headers: Record<string, string>
  body: string
  /** Ends the request without an outcome: the promise rejects with the signal's reason. */
  signal: AbortSignal
}

/** `error` says in words what went wrong (contract 5.7), and is null when the endpoint answered 2xx. */
export type PostOutcome = {
  httpStatus: number | null
  responseBody: string | null
  error: string | null
}

/** Rejects only when no outcome can be told: `signal`, or this machine cannot open a connection. */
export type Post = (request: PostRequest) => Promise<PostOutcome>

/**
 * The function that sends, with the connections it keeps. `timeoutMs` is how long the endpoint has to
 * answer, from the name look-up on; `ca`, in PEM, are certificates to trust in place of the system's.
 */
export const createPost = (options: { timeoutMs?: number; ca?: string } = {}): Post => {
  const { timeoutMs = RESPONSE_TIMEOUT_MS, ca } = options
  const connections = createConnections(ca)
  const endOf = createDeadlines(timeoutMs)

  return async request => {
    request.signal.throwIfAborted()
    const end = endOf(request.signal)
    try {
      const address = await until(request.resolve(end), end)
      const outcome = await send(request, address, connections, end)
      request.signal.throwIfAborted()
      return outcome
    } catch (error) {
      request.signal.throwIfAborted()
      if (isLocalResourceError(error)) throw error
      return { httpStatus: null, responseBody: null, error: describeConnectionError(error) }
    } finally {
      end.dispose()
    }
  }
}

/**
 * The answer. A kept connection that the endpoint closes just as it is used again has answered nothing: the
 * request goes out once more, on a fresh one, within the same attempt.
 */
const send = async (
  request: PostRequest,
  address: Address,
  connections: Connections,
  end: Deadline,
): Promise<PostOutcome> => {
  const receiver = { url: request.url, address }
  const text = textOf(request)
  const kept = connections.kept(receiver)
  const answered = kept && (await exchange(kept, text, end))
  if (answered !== undefined && !('closedBy' in answered)) return answered
  const fresh = await exchange(await connections.open(receiver, end), text, end)
  if ('closedBy' in fresh) throw fresh.closedBy
  return fresh
}

/**
 * Sends the request and reads the answer, or tells what closed the connection before a byte of one came.
 * After the status line and the headers, nothing can make the answer another one: the body is what has come
 * of it by the end, the cap or a broken connection.
 */
const exchange = (
  connection: Connection,
  text: string,
  end: Deadline,
): Promise<PostOutcome | { closedBy: unknown }> =>
  new Promise((resolve, reject) => {
    const answer = createResponseReader(BODY_MAX_BYTES)
    let hasByte = false
    const finish = (error?: unknown) => {
      end.onTimeout(undefined)
      const status = answer.status()
      if (answer.isReusable()) connection.keep(answer.keepAliveS())
      else connection.end()
      if (status !== undefined)
        resolve({
          httpStatus: status,
          responseBody: decode(answer.body()),
          error: describeStatus(status, answer.location()),
        })
      else if (hasByte || end.hasPassed()) reject(error)
      else resolve({ closedBy: error })
    }
    connection.use({
      data: chunk => {
        hasByte = true
        try {
          answer.read(chunk)
          if (answer.isDone()) finish()
        } catch (error) {
          finish(error)
        }
      },
      closed: error => {
        answer.close()
        finish(error ?? connectionReset())
      },
    })
    connection.write(text)
    end.onTimeout(finish)
  })

const textOf = ({ url, headers, body }: PostRequest): string => {
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** PostgreSQL's text cannot hold U+0000. `stream` leaves out a character that was cut in two. */
const decode = ({ bytes, isWhole }: { bytes: Buffer; isWhole: boolean }): string =>
  new TextDecoder().decode(bytes, { stream: !isWhole }).replaceAll('\0', '\uFFFD')

const until = <T>(promise: Promise<T>, end: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    end.onTimeout(reject)
    promise.then(resolve, reject)
  })

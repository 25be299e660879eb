/**
 * One POST to a receiver. Made with node:https and not with fetch: Bun's fetch has 256 requests under
 * way at most in a process (measured on 1.4.5: the 257th waits, so endpoints that never answer would
 * stop all others), and it obeys HTTP_PROXY. node:https does neither, and follows no redirect.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { Address } from './lookup'
import { connectionError, isOwnFailure, statusError } from './outcome'
import { ANSWER_TIMEOUT_MS } from './retry-schedule'

/** Of an answer's body this much is read, then the connection is closed (contract 5). */
const BODY_MAX_BYTES = 64 * 1024
/** A kept connection that nobody uses is closed after this. */
const IDLE_TIMEOUT_MS = 10_000

export type PostRequest = {
  url: URL
  /**
   * Answers the checked address to connect to: whatever the URL's name says, no other is used. Nobody waits
   * for it any more once the signal has ended.
   */
  resolve: (signal: AbortSignal) => Promise<Address>
  headers: Record<string, string>
  body: string
  /** Ends the request without an outcome: the promise rejects with the signal's reason. */
  signal: AbortSignal
}

/** `error` says in words what went wrong (contract 5), and is null when the endpoint answered 2xx. */
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
  const { timeoutMs = ANSWER_TIMEOUT_MS, ca } = options
  const kept = { keepAlive: true, timeout: IDLE_TIMEOUT_MS }
  const agents = {
    http: new http.Agent(kept),
    https: new https.Agent({ ...kept, ...(ca && { ca }) }),
  }

  return async request => {
    const end = new AbortController()
    const abort = () => end.abort(request.signal.reason)
    const timer = setTimeout(() => {
      end.abort(new Error(`timed out after ${timeoutMs / 1000} s`))
    }, timeoutMs)
    request.signal.addEventListener('abort', abort, { once: true })
    try {
      request.signal.throwIfAborted()
      const address = await until(request.resolve(end.signal), end.signal)
      const answer = await send(request, address, agents, end.signal)
      const body = await readBody(answer, end.signal)
      const httpStatus = answer.statusCode ?? 0
      request.signal.throwIfAborted()
      return {
        httpStatus,
        responseBody: body,
        error: statusError(httpStatus, answer.headers.location),
      }
    } catch (error) {
      request.signal.throwIfAborted()
      if (isOwnFailure(error)) throw error
      return { httpStatus: null, responseBody: null, error: connectionError(error) }
    } finally {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', abort)
    }
  }
}

type Agents = { http: http.Agent; https: https.Agent }

/**
 * The answer's head. A kept connection that the endpoint closes just as it is used again has answered
 * nothing: the request goes out once more, on a fresh one, within the same attempt.
 */
const send = async (
  request: PostRequest,
  address: Address,
  agents: Agents,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const first = open(request, address, agents, signal)
  try {
    return await head(first)
  } catch (error) {
    if (!first.reusedSocket || signal.aborted || !isClosed(error)) throw error
    return await head(open(request, address, undefined, signal))
  }
}

/**
 * Connections are kept by address, port and, for TLS, server name: two names on one address never share
 * a session, and a certificate must be for the URL's name, not for the address.
 */
const open = (
  request: PostRequest,
  address: Address,
  agents: Agents | undefined,
  signal: AbortSignal,
) => {
  const { url, headers, body } = request
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const options = {
    method: 'POST',
    host: address.address,
    family: address.family,
    port: url.port,
    path: url.pathname + url.search,
    setHost: false,
    headers: { Host: url.host, ...headers, 'Content-Length': Buffer.byteLength(body) },
    signal,
  }
  const sent =
    url.protocol === 'https:'
      ? https.request({
          ...options,
          agent: agents?.https ?? false,
          servername: isIP(name) ? '' : name,
        })
      : http.request({ ...options, agent: agents?.http ?? false })
  sent.end(body)
  return sent
}

const head = (sent: http.ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.on('response', resolve)
    // 101: nobody asked for another protocol; an answer like any other that is not 2xx.
    sent.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer)
    })
    sent.on('error', reject)
  })

/** The body as far as it comes before its end, `signal`, a broken connection or the cap. */
const readBody = (answer: IncomingMessage, signal: AbortSignal): Promise<string> =>
  new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    const done = () => {
      const cut = size > BODY_MAX_BYTES || !answer.complete
      const bytes = Buffer.concat(chunks).subarray(0, BODY_MAX_BYTES)
      // PostgreSQL's text cannot hold U+0000. `stream` leaves out a character that was cut in two.
      const text = new TextDecoder().decode(bytes, { stream: cut }).replaceAll('\0', '\uFFFD')
      resolve(text)
      if (cut) answer.destroy()
    }
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > BODY_MAX_BYTES) done()
    })
    answer.on('end', done)
    answer.on('error', done)
    answer.on('close', done)
    if (signal.aborted) done()
  })

const isClosed = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'EPIPE')

const until = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    promise.then(resolve, reject)
  })

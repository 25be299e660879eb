/**
 * One request on a connection of the pool, and its response. Redirects are not followed, content encodings not decoded.
 */
import { RESPONSE_BODY_MAX_BYTES } from '../retry-schedule'
import {
  type Connections,
  connectionReset,
  type Destination,
  type HttpConnection,
} from './connections'
import type { Deadline } from './deadlines'
import type { Address } from './dns'
import { describeStatus } from './error-text'
import { createResponseReader, type HeadMethod } from './response'

/** A request to an address that was checked: a POST, unless it has another `method`. */
export type AddressedRequest = {
  url: URL
  address: Address
  headers: Record<string, string>
  body: string
  method?: HeadMethod | undefined
}

/** `error` is the text of contract 5.7, null after a 2xx. `location`: of the response to a `HeadMethod`. */
export type PostOutcome = {
  httpStatus: number | null
  responseBody: string | null
  error: string | null
  location?: string
}

/**
 * Where the endpoint closes an idle connection just as it is used again, without a byte of a response, the
 * request is sent once more on a new connection, within the same attempt.
 */
export const sendRequest = async (
  request: AddressedRequest & Destination,
  connections: Connections,
  deadline: Deadline,
): Promise<PostOutcome> => {
  const text = toHttp(request)
  const idle = connections.takeIdle(request)
  const outcome = idle && (await exchange(idle, text, request.method, deadline))
  if (outcome !== undefined && !('closedBy' in outcome)) return outcome
  const connection = await connections.open(request, deadline)
  const fresh = await exchange(connection, text, request.method, deadline)
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
  method: HeadMethod | undefined,
  deadline: Deadline,
): Promise<PostOutcome | { closedBy: unknown }> =>
  new Promise((resolve, reject) => {
    const response = createResponseReader(RESPONSE_BODY_MAX_BYTES, method)
    let hasByte = false
    const finish = (error?: unknown) => {
      deadline.onTimeout(undefined)
      const status = response.status()
      const location = response.location()
      if (response.isReusable()) connection.release(response.keepAliveS())
      else connection.destroy()
      if (status !== undefined)
        resolve({
          httpStatus: status,
          responseBody: decode(response.body()),
          error: describeStatus(status, location),
          ...(method !== undefined && location !== undefined && { location }),
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

const toHttp = ({ url, headers, body, method }: AddressedRequest): string => {
  let head = `${method ?? 'POST'} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`
  if (method !== undefined) return `${head}\r\n`
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** PostgreSQL text cannot store U+0000. `stream` drops a character that was cut in two. */
const decode = ({ bytes, isComplete }: { bytes: Buffer; isComplete: boolean }): string => {
  const text = new TextDecoder().decode(bytes, { stream: !isComplete }).replaceAll('\0', '\uFFFD')
  if (Buffer.byteLength(text) <= RESPONSE_BODY_MAX_BYTES) return text
  // A replacement character has three bytes, so 64 KiB that are not UTF-8 would be stored as 192 KiB.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, RESPONSE_BODY_MAX_BYTES), {
    stream: true,
  })
}

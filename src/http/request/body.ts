import { DomainError, invalid } from '../../errors'
import { countBody } from './body-limit'
import { getCaller } from './caller'
import { checkJsonText, checkValues } from './json-limits'

/** Maximum size of a request body (contract 1.6), and of one without a key or a session. */
const BODY_MAX_BYTES = 1024 * 1024
const OPEN_BODY_MAX_BYTES = 32 * 1024
/** Time to receive the full body: 1 MiB at 280 kbit/s. */
export const BODY_TIMEOUT_MS = 30_000
/**
 * Reads the JSON body of a request (contract 1.6). No body is `{}`, with any content type.
 * @throws {DomainError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON;
 * VALIDATION_ERROR for a value that is not an object, is nested too deep, has too many values, or has text
 * that PostgreSQL cannot store. @throws {TooManyRequests} as `countBody`. @throws {ClientAbort}
 */
export const readJsonBody = async (request: Request): Promise<object> => {
  const bytes = await readBytes(request)
  if (bytes.byteLength === 0) return {}
  const type = request.headers.get('content-type')
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?(;|$)/i.test(type ?? ''))
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The content type of the body is ${type ?? 'missing'}. Send JSON in UTF-8 with the header Content-Type: application/json.`,
    )
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && !/^identity$/i.test(encoding))
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed, without that header.`,
    )
  checkJsonText(Buffer.from(bytes))
  const body = parse(bytes)
  // Every body of this API is an object. TypeBox would accept an array where no member is required.
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('body', 'must be a JSON object')
  checkValues(body)
  return body
}

const parse = (bytes: ArrayBuffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const reason =
      error instanceof SyntaxError ? error.message.replace(/^JSON Parse error: /, '') : 'not UTF-8'
    throw new DomainError('INVALID_JSON', `The body is not valid JSON: ${reason}.`)
  }
}

const tooLarge = (maxBytes: number) =>
  new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${maxBytes / 1024} KiB (${maxBytes} bytes). Send a smaller body.`,
  )

const bodyTimeout = () =>
  new DomainError(
    'REQUEST_TIMEOUT',
    `The body was not received completely within ${BODY_TIMEOUT_MS / 1000} s. Send it faster, or send a smaller body.`,
  )

/** The client closed the connection before it had sent the full body. There is no one to respond to. */
export class ClientAbort extends Error {}

/** Buffers at most `BODY_MAX_BYTES`, for at most `BODY_TIMEOUT_MS`, within the limit of the account. */
const readBytes = async (request: Request): Promise<ArrayBuffer> => {
  if (request.body === null) return new ArrayBuffer(0)
  const maxBytes = getCaller(request) === undefined ? OPEN_BODY_MAX_BYTES : BODY_MAX_BYTES
  const length = request.headers.get('content-length')
  // Bun accepts the header twice with one value, and joins the two: "5, 5" is no number.
  if (length === null || !/^\d{1,10}$/.test(length))
    return readChunks(request, request.body, maxBytes)
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  countBody(request, Number(length))
  // 20 us of CPU less than reading chunks.
  return withBodyDeadline(request.arrayBuffer())
}

const readChunks = async (
  request: Request,
  body: NonNullable<Request['body']>,
  maxBytes: number,
) => {
  const reader = body.getReader()
  const sink = new Bun.ArrayBufferSink()
  const read = async () => {
    for (let size = 0; ; ) {
      const { done, value } = await reader.read()
      if (done) return sink.end() as ArrayBuffer
      size += value.byteLength
      if (size > maxBytes) throw tooLarge(maxBytes)
      countBody(request, value.byteLength)
      sink.write(value)
    }
  }
  try {
    return await withBodyDeadline(read())
  } catch (error) {
    reader.cancel().catch(() => {}) // The rest is dropped with the connection.
    throw error
  }
}

const withBodyDeadline = async <T>(reading: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(bodyTimeout()), BODY_TIMEOUT_MS)
  try {
    return await Promise.race([reading, late.promise])
  } catch (error) {
    throw error instanceof DomainError ? error : new ClientAbort('', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

import { DomainError, invalid } from '../../errors'

/** Maximum size of a request body (contract 1.6). */
const BODY_MAX_BYTES = 1024 * 1024
/** Time to receive the full body: 1 MiB at 280 kbit/s. */
export const BODY_TIMEOUT_MS = 30_000
/**
 * Levels of nesting (contract 1.6). Validation recurses, and overflows the stack at thousands of levels.
 */
const DEPTH_MAX = 32
/**
 * Values in a body, at all levels (contract 1.6). The largest body of this API has about 1,000; half a million
 * small values in 1 MiB cost a second of CPU.
 */
const VALUES_MAX = 10_000
/** Maximum length of a member's path in a message. */
const PATH_MAX = 200

/**
 * Reads the JSON body of a request (contract 1.6). No body is `{}`, with any content type.
 * @throws {DomainError} PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON;
 * VALIDATION_ERROR for a value that is not an object, is nested too deep, has too many values, or has text
 * that PostgreSQL cannot store. @throws {ClientAbort}
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

const tooLarge = () =>
  new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than 1 MiB (${BODY_MAX_BYTES} bytes). Send a smaller body.`,
  )

const bodyTimeout = () =>
  new DomainError(
    'REQUEST_TIMEOUT',
    `The body was not received completely within ${BODY_TIMEOUT_MS / 1000} s. Send it faster, or send a smaller body.`,
  )

/** The client closed the connection before it had sent the full body. There is no one to respond to. */
export class ClientAbort extends Error {}

/** Buffers at most `BODY_MAX_BYTES`, for at most `BODY_TIMEOUT_MS`. */
const readBytes = async (request: Request): Promise<ArrayBuffer> => {
  if (request.body === null) return new ArrayBuffer(0)
  const length = request.headers.get('content-length')
  if (length === null) return readChunks(request.body)
  if (Number(length) > BODY_MAX_BYTES) throw tooLarge()
  // 20 us of CPU less than reading chunks.
  return withBodyDeadline(request.arrayBuffer())
}

const readChunks = async (body: NonNullable<Request['body']>) => {
  const reader = body.getReader()
  const sink = new Bun.ArrayBufferSink()
  const read = async () => {
    for (let size = 0; ; ) {
      const { done, value } = await reader.read()
      if (done) return sink.end() as ArrayBuffer
      size += value.byteLength
      if (size > BODY_MAX_BYTES) throw tooLarge()
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

/** Whether PostgreSQL can store the text: no U+0000 and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** An object or array of a body, which is `member` of `parent`. */
type JsonNode = { parent?: JsonNode; member: string; value: object; depth: number }

/**
 * Iterates instead of recursing, because clients choose the nesting. Builds a path only for an error.
 */
const checkValues = (body: object): void => {
  let values = 0
  const open: JsonNode[] = [{ member: '', value: body, depth: 1 }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, depth } = place
    if (depth > DEPTH_MAX) throw invalid(pathOf(place), `is nested deeper than ${DEPTH_MAX} levels`)
    const items = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
    values += items.length
    if (values > VALUES_MAX)
      throw invalid('body', `must have at most ${VALUES_MAX} values. Send fewer in each request`)
    for (const key of items) {
      const inner: unknown = (value as Record<string | number, unknown>)[key]
      if (typeof key === 'string' && !isStorable(key))
        throw invalid(pathOf(place), 'has a member whose name contains U+0000')
      if (typeof inner === 'string' && !isStorable(inner))
        throw invalid(pathOf({ parent: place, member: String(key) }), NOT_STORABLE_MESSAGE)
      if (typeof inner === 'object' && inner !== null)
        open.push({ parent: place, member: String(key), value: inner, depth: depth + 1 })
    }
  }
}

const pathOf = (place: Pick<JsonNode, 'parent' | 'member'>): string => {
  const members: string[] = []
  for (let at: typeof place | undefined = place; at?.parent !== undefined; at = at.parent)
    members.unshift(at.member)
  return members.join('.').slice(0, PATH_MAX) || 'body'
}

export const NOT_STORABLE_MESSAGE =
  'must not contain the character U+0000 or half of a surrogate pair'

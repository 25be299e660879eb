import { DomainError, invalid } from '../errors'

/** Bytes of a request body (contract 1). */
const BODY_MAX = 1024 * 1024

/**
 * Reads a request's JSON body (contract 1). No body at all is `{}`, whatever content type it says: a
 * schema that requires nothing takes it, and one that does names what is missing.
 * @throws {DomainError} PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON, VALIDATION_ERROR (no object, U+0000).
 */
export const readJson = async (request: Request): Promise<object> => {
  const text = await readText(request)
  if (text === '') return {}
  const type = request.headers.get('content-type')
  if (!/^application\/json\s*(;|$)/i.test(type ?? ''))
    throw new DomainError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body says it is ${type ?? 'of no content type'}. Send JSON with the header Content-Type: application/json.`,
    )
  const body = parse(text)
  // Every body of this API is an object; TypeBox would take an array for one without members.
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('body', 'must be a JSON object')
  // U+0000 can only come as an escape: the parser refuses the raw byte.
  if (text.includes('\\u0000')) refuseNul(body)
  return body
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON Parse error: /, '') : ''
    throw new DomainError('INVALID_JSON', `The body is not valid JSON: ${reason}.`)
  }
}

const tooLarge = () =>
  new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than 1 MiB (${BODY_MAX} bytes). Send less.`,
  )

const readText = async (request: Request): Promise<string> => {
  if (request.body === null) return ''
  const length = request.headers.get('content-length')
  if (length !== null) {
    if (Number(length) > BODY_MAX) throw tooLarge()
    return await request.text()
  }
  const decoder = new TextDecoder()
  let size = 0
  let text = ''
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > BODY_MAX) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** PostgreSQL's text cannot hold U+0000. Walked without recursion: nesting is the caller's to choose. */
const refuseNul = (body: object): void => {
  const open: { path: string; value: unknown }[] = [{ path: '', value: body }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next
    if (typeof value === 'string' && value.includes('\0'))
      throw invalid(path || 'body', 'must not contain the character U+0000')
    if (typeof value !== 'object' || value === null) continue
    for (const [member, inner] of Object.entries(value)) {
      if (member.includes('\0'))
        throw invalid(path || 'body', 'has a member whose name contains U+0000')
      open.push({ path: path ? `${path}.${member}` : member, value: inner })
    }
  }
}

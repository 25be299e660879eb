import { invalid } from '../../errors'
import { describeDocument } from './binary-text'

/**
 * Levels of nesting (contract 1.6). Validation recurses, and overflows the stack at thousands of levels.
 */
const DEPTH_MAX = 32
/**
 * Values in a body, at all levels (contract 1.6). The largest body of this API has about 1,000; half a million
 * small values in 1 MiB cost a second of CPU.
 */
export const VALUES_MAX = 10_000
/** Characters of a member's path in a message: the client chooses its names. */
export const PATH_MAX = 200

/** Whether PostgreSQL can store the text: no U+0000 and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Levels at which a text is refused without being parsed. Up to here, the message names the member. */
const PARSED_DEPTH_MAX = 1_000
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Refuses JSON with too many levels or values before it is parsed: 1 MiB of `[` takes `JSON.parse` 40 to 120 ms, other
 * bodies of many values 10 to 50, and this scan stops after 0.1 ms.
 * @throws {DomainError} VALIDATION_ERROR
 */
export const checkJsonText = (json: Buffer): void => {
  // Too short for that many values: each has at least a digit and a comma.
  if (json.byteLength <= 2 * VALUES_MAX) return
  let depth = 0
  let commas = 0
  for (let at = 0; at < json.byteLength; at++)
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at)
        break
      case COMMA:
        commas++
        if (commas > VALUES_MAX) throw tooManyValues()
        break
      case ARRAY:
      case OBJECT:
        depth++
        if (depth > PARSED_DEPTH_MAX) throw tooDeep('body')
        break
      case ARRAY_END:
      case OBJECT_END:
        depth--
    }
}

/** The position of the quote that ends the string which begins at `start`. */
const endOfString = (json: Buffer, start: number): number => {
  let end = start
  do {
    end = json.indexOf(QUOTE, end + 1)
    if (end === -1) return json.byteLength
  } while (isEscaped(json, end))
  return end
}

const isEscaped = (json: Buffer, at: number): boolean => {
  let first = at
  while (json[first - 1] === BACKSLASH) first--
  return (at - first) % 2 === 1
}

const tooDeep = (path: string) => invalid(path, `is nested deeper than ${DEPTH_MAX} levels`)

const tooManyValues = () =>
  invalid('body', `must have at most ${VALUES_MAX} values. Send fewer in each request`)

/** An object or array of a body, which is `member` of `parent`. */
type JsonNode = { parent?: JsonNode; member: string; value: object; depth: number }

/**
 * Checks what schemas do not. Iterates instead of recursing, because clients choose the nesting; reads at most
 * `VALUES_MAX` values, and builds a path only for an error.
 */
export const checkValues = (body: object): void => {
  let values = 0
  const open: JsonNode[] = [{ member: '', value: body, depth: 1 }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, depth } = place
    if (depth > DEPTH_MAX) throw tooDeep(pathOf(place))
    const items = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
    values += items.length
    if (values > VALUES_MAX) throw tooManyValues()
    for (const key of items) {
      const inner: unknown = (value as Record<string | number, unknown>)[key]
      if (typeof key === 'string' && !isStorable(key))
        throw invalid(pathOf(place), 'has a member whose name contains U+0000')
      if (typeof inner === 'string' && !isStorable(inner))
        throw invalid(
          pathOf({ parent: place, member: String(key) }),
          describeDocument(inner) ?? NOT_STORABLE_MESSAGE,
        )
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

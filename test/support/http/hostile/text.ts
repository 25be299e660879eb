import { fc } from '../../property'

/**
 * A hostile value. Its text can be 1 MiB long, so it is built when it is sent, and a failure prints the label: what
 * is repeated, and how often.
 */
export type Hostile = { label: string; build: () => string }

export const hostile = (label: string, build: () => string): Hostile => ({ label, build })

/** Work that costs more than linear time repeats a unit: normalization, backtracking, parsing, case folding. */
const UNITS = [
  '\u0315\u0300', // NFC sorts combining marks, in quadratic time.
  '\u0345\u0301',
  ' ',
  '\t',
  '\u00a0',
  'a',
  'A',
  '1',
  '0',
  '-',
  'a-',
  '.',
  'a.',
  '/',
  '[',
  '::',
  ',',
  ', 127.0.0.1',
  '%',
  '%00',
  '\\',
  '"',
  '\u0000',
  '\ud800', // Half of a surrogate pair.
  '\udc00',
  '\u202e', // Right-to-left override.
  '\u200b',
  '\ufeff',
  '😀',
  'İ', // Lowercase is two characters.
  '\ufdfa', // NFKC is 18 characters.
  'ß',
  '=;',
  '$1',
]

type TextOptions = {
  /** The text is at most so many bytes, as `encode` writes it. */
  bytes: number
  encode: (text: string) => string
  /** Character limits of the schema: the longest accepted text, and the first that is refused. */
  limits?: number[]
  /** A text that the schema accepts, for texts that begin or end well. */
  example?: string
}

/** A unit repeated up to the limits, between a beginning and an end that may be valid. The text is encoded. */
export const hostileText = ({
  bytes,
  encode,
  limits = [],
  example = '',
}: TextOptions): fc.Arbitrary<Hostile> =>
  fc
    .record({
      begin: fc.constantFrom('', example, example.slice(0, -1)),
      unit: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...UNITS) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }) },
      ),
      end: fc.constantFrom('', '!', ' ', example),
      size: fc.constantFrom(bytes, ...limits.flatMap(limit => [{ limit }, { limit: limit + 1 }])),
    })
    .map(({ begin, unit, end, size }) => {
      const bytesOf = (text: string) => Buffer.byteLength(encode(text))
      const bytesOfUnit = bytesOf(unit + unit) - bytesOf(unit)
      const most = Math.floor((bytes - bytesOf(begin + end)) / Math.max(1, bytesOfUnit))
      const wanted =
        typeof size === 'number'
          ? most
          : Math.floor((size.limit - begin.length - end.length) / unit.length)
      const count = Math.max(0, Math.min(most, wanted))
      const parts = [begin, unit, end].map(toAscii)
      return hostile(`${parts[0]} + ${parts[1]} x ${count} + ${parts[2]}`, () =>
        encode(begin + unit.repeat(count) + end),
      )
    })

/** Most of these texts do not print. */
const toAscii = (text: string) =>
  JSON.stringify(text).replaceAll(
    /[^ -~]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

import { fc } from '../../property'
import { type Hostile, hostile, hostileText } from './text'

type Schema = {
  type?: string
  maxLength?: number
  maxItems?: number
  maximum?: number
  minimum?: number
  examples?: unknown[]
  anyOf?: Schema[]
  items?: Schema
}

const variantsOf = (schema: Schema): Schema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(variantsOf)

/** The members of the schema's variants that are numbers, such as `maxLength`. */
export const limitsOf = (
  schema: Schema,
  ...names: ('maxLength' | 'maxItems' | 'maximum' | 'minimum')[]
): number[] => variantsOf(schema).flatMap(one => names.flatMap(name => one[name] ?? []))

export const exampleOf = (schema: Schema): unknown =>
  variantsOf(schema).flatMap(({ examples }) => examples ?? [])[0]

/** Names that JavaScript objects have, or that patterns and SQL treat specially. */
const NAMES = ['__proto__', 'constructor', 'toString', 'length', '', '\u0000', "'", '$ref', '0']

const NUMBERS = ['1e308', '-1e308', '1e999', '-0', '5e-324', '0.5', '9007199254740993', '-1']
const OTHER = ['null', 'true', 'false', '{}', '[]', '[[]]', '""', '"null"']

/** JSON of a member of a body: of any type, and of up to `bytes`. */
export const hostileJson = (schema: Schema, bytes: number): fc.Arbitrary<Hostile> => {
  const example = exampleOf(schema)
  const text = (limits: number[]) =>
    hostileText({
      bytes,
      limits,
      encode: JSON.stringify,
      ...(typeof example === 'string' && { example }),
    })
  const counts = [...limitsOf(schema, 'maxItems'), 100, 9_000, 20_000].flatMap(n => [n, n + 1])
  const items = ['0', '""', '{}', '[]', 'null', JSON.stringify(example ?? 'a'), '[{"a":[""]}]']
  return fc.oneof(
    { weight: 4, arbitrary: text(limitsOf(schema, 'maxLength')) },
    { weight: 1, arbitrary: fc.json().map(json => hostile(json, () => json)) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          ...NUMBERS,
          ...OTHER,
          ...limitsOf(schema, 'maximum', 'minimum').flatMap(n => [
            `${n + 1}`,
            `${n - 1}`,
            `${n}.0`,
          ]),
        )
        .map(json => hostile(json, () => json)),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(['', '1'], ['-', '9'], ['0.', '3'], ['1e', '0'], ['1.', '0'])
        .map(([begin, digit]) =>
          hostile(
            `${begin} and ${bytes - 10} digits ${digit}`,
            () => begin + digit?.repeat(bytes - 10),
          ),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...items), fc.constantFrom(...counts, Number.POSITIVE_INFINITY))
        .map(([item, wanted]) => {
          const count = Math.min(wanted, Math.floor(bytes / (item.length + 1)))
          return hostile(`an array of ${count} x ${item}`, () => arrayOf(item, count))
        }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('0', '"a"', '{"a":0}'),
          fc.constantFrom(...counts, Number.POSITIVE_INFINITY),
        )
        .map(([value, wanted]) => {
          const count = Math.min(wanted, Math.floor(bytes / (value.length + MEMBER_BYTES)))
          return hostile(`an object of ${count} members ${value}`, () => objectOf(value, count))
        }),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(['[', ']'], ['{"a":', '}'], ['[{"":', '}]'])
        .chain(([open = '', close = '']) =>
          fc
            .constantFrom(31, 32, 33, 5_000, Math.floor(bytes / (open.length + close.length + 1)))
            .map(depth =>
              hostile(
                `${open} nested ${depth} times`,
                () => `${open.repeat(depth)}0${close.repeat(depth)}`,
              ),
            ),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...NAMES), fc.constantFrom('0', 'null', '{"a":1}', '[1]'))
        .map(([name, value]) => {
          const json = `{${JSON.stringify(name)}:${value}}`
          return hostile(json, () => json)
        }),
    },
  )
}

/** Bytes of a name with its quotes, a colon and a comma. */
const MEMBER_BYTES = 10

const arrayOf = (item: string, count: number) =>
  count === 0 ? '[]' : `[${`${item},`.repeat(count - 1)}${item}]`

const objectOf = (value: string, count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"${n}":${value}`).join(',')}}`

/** A complete body: not a member of it. `members` are names that the schema has. */
export const hostileBody = (members: string[], bytes: number): fc.Arbitrary<Hostile> =>
  fc.oneof(
    hostileJson({}, bytes),
    hostileJson({}, bytes).map(({ label, build }) =>
      hostile(`an unknown member ${label}`, () => `{"unknown":${build()}}`),
    ),
    fc
      .tuple(fc.constantFrom(...members, 'unknown'), fc.constantFrom('0', '""', '{}'))
      .map(([name, value]) => {
        const member = `${JSON.stringify(name)}:${value}`
        const count = Math.floor(bytes / (member.length + 1))
        return hostile(`${member} x ${count}`, () => `{${`${member},`.repeat(count - 1)}${member}}`)
      }),
    hostileText({ bytes, encode: JSON.stringify }).map(({ label, build }) =>
      hostile(`a member named ${label}`, () => `{${build()}:0}`),
    ),
    hostileText({ bytes, encode: text => text }).map(({ label, build }) =>
      hostile(`not JSON: ${label}`, build),
    ),
    hostileText({ bytes, encode: text => text }).map(({ label, build }) =>
      hostile(`JSON that ends early: ${label}`, () => `{"a":"${build()}`),
    ),
  )

import { expect, test } from 'bun:test'
import { fc } from '../../../test/support/property'
import { checkJsonText, checkValues, VALUES_MAX } from './json-limits'

const MIB = 1024 ** 2

/** The message for a text, or undefined where it would be parsed. */
const refusal = (text: string): string | undefined => {
  try {
    checkJsonText(Buffer.from(text))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  ['[', '['.repeat(MIB), 'body: is nested deeper than 32 levels'],
  ['nested objects', '{"a":'.repeat(MIB / 5), 'body: is nested deeper than 32 levels'],
  ['numbers', `[${'1,'.repeat(MIB / 2)}1]`, 'body: must have at most 10000 values'],
  ['arrays', `[${'[],'.repeat(MIB / 3)}1]`, 'body: must have at most 10000 values'],
])('refuses 1 MiB of %s without parsing it', (_, text, message) => {
  expect(refusal(text)).toStartWith(message)
})

test('refuses no text for what is inside its strings', () => {
  const piece = fc.constantFrom('[[[[', '{{{{', ',,,,', '"', '\\', '\\"', ']', '日', '\n', 'a')
  const text = fc.array(piece, { minLength: 8_000, maxLength: 40_000, size: 'max' })
  fc.assert(
    fc.property(text, pieces => {
      expect(refusal(JSON.stringify({ body: pieces.join(''), after: ['\\', '"'] }))).toBeUndefined()
    }),
    { numRuns: 30 },
  )
})

/** `body`, and a count of the values that were read in it and in all that it contains. */
const counted = (body: object) => {
  const reads = { count: 0 }
  const watch = <T extends object>(value: T): T =>
    new Proxy(value, {
      get: (target, key) => {
        const inner: unknown = Reflect.get(target, key)
        if (!Object.hasOwn(target, key) || key === 'length') return inner
        reads.count++
        return typeof inner === 'object' && inner !== null ? watch(inner) : inner
      },
    })
  return { body: watch(body), reads }
}

test.each([
  ['an array', { a: Array(500_000).fill(0) }, 1],
  ['an object', Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [n, 0])), 0],
])('reads no value of %s with too many', (_, values, expected) => {
  const { body, reads } = counted(values)
  expect(() => checkValues(body)).toThrow(`must have at most ${VALUES_MAX} values`)
  expect(reads.count).toBe(expected)
})

test('reads no further when the values of all levels together are too many', () => {
  const { body, reads } = counted({ a: Array.from({ length: 500 }, () => Array(1_000).fill(0)) })
  expect(() => checkValues(body)).toThrow(`must have at most ${VALUES_MAX} values`)
  expect(reads.count).toBeWithin(VALUES_MAX / 2, VALUES_MAX + 1)
})

test('reads each value of a valid body once', () => {
  const { body, reads } = counted({ a: Array.from({ length: 9 }, () => Array(1_000).fill('x')) })
  checkValues(body)
  expect(reads.count).toBe(1 + 9 + 9_000)
})

test('the first value that cannot be stored ends the check', () => {
  const { body, reads } = counted({ a: [{ b: 'x' }, { c: ['\0', 'y'] }], d: '\0' })
  expect(() => checkValues(body)).toThrow('d: must not contain the character U+0000')
  expect(reads.count).toBe(2)
  const inner = counted({ a: [{ c: ['x', '\0', 'y', 'z'] }] })
  expect(() => checkValues(inner.body)).toThrow('a.0.c.1: must not contain the character U+0000')
  expect(inner.reads.count).toBe(5)
})

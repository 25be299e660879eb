import { describe, expect, test } from 'bun:test'
import { fc } from '../../test/support/property'
import type { Mode } from '../caller'
import { generateValue, hashValue, modeOfValue, prefixOfValue } from './value'

const MODES: Mode[] = ['live', 'test']

describe('an API key value', () => {
  test('is ar_live_ or ar_test_, 32 random and 6 checksum characters of base62', () => {
    for (const mode of MODES)
      for (let i = 0; i < 500; i++) {
        const value = generateValue(mode)
        expect(value).toMatch(new RegExp(`^ar_${mode}_[0-9A-Za-z]{38}$`))
        expect(modeOfValue(value)).toBe(mode)
      }
  })

  test('ends in the CRC32 of the characters before it, in base62, most significant digit first', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const value = generateValue('test')
    const crc = [...value.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
    expect(crc).toBe(Bun.hash.crc32(value.slice(0, -6)))
  })

  test('draws every character equally often', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 4000; i++)
      for (const character of generateValue('live').slice(8, 40))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(62)
    // 128,000 draws: 2,065 expected of each, standard deviation 45. Bias by modulo would give 2,500.
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(1800)
      expect(count).toBeLessThan(2330)
    }
  })

  // Literals, because generateValue takes no seed: a property that fails must fail again.
  const values = fc.constantFrom(
    'ar_live_w090Qqt11SZEa30TGW7caxiwDPWtEyUz3GAI9C',
    'ar_live_SlqVI8Szs3kpOnxQngNSZfAEX4UNnyCQ3F2kbE',
    'ar_live_n8mzKY8D2r1Zayo8Ta9wcZXgIqvCz6PH4KF1Xl',
    'ar_test_QWrH9wBCQQjuOBA21s2aBLyp9EdUkE6U0vkRAR',
    'ar_test_XPjkHKfwgqe5RmXukseet2zBM7q79cq11SHEDz',
    'ar_test_ISFUpisny0P0lFdPiJKG2aa6K7DAVS7U1ZR1VB',
  )
  const positions = fc.nat({ max: 'ar_live_'.length + 37 })
  const base62 = fc.stringMatching(/^[0-9A-Za-z]$/)

  test('is refused when any character is replaced', () => {
    fc.assert(
      fc.property(
        values,
        positions,
        fc.oneof(base62, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
        (value, position, other) => {
          fc.pre(value.charAt(position) !== other)
          const changed = value.slice(0, position) + other + value.slice(position + 1)
          expect(modeOfValue(changed)).toBeUndefined()
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('is refused with a character more or less, with two adjacent characters swapped, and as the other mode', () => {
    fc.assert(
      fc.property(values, positions, base62, (value, position, other) => {
        const [before, at, after] = [
          value.slice(0, position),
          value.charAt(position),
          value.slice(position + 1),
        ]
        expect(modeOfValue(before + after)).toBeUndefined()
        expect(modeOfValue(before + other + at + after)).toBeUndefined()
        const next = after.charAt(0)
        if (next !== at && next !== '')
          expect(modeOfValue(before + next + at + after.slice(1))).toBeUndefined()
        const mode = modeOfValue(value) ?? ''
        const otherMode = mode === 'live' ? 'test' : 'live'
        expect(modeOfValue(value.replace(mode, otherMode))).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  test('is refused in any other format', () => {
    const value = generateValue('live')
    const others = ['', 'ar_live_', value.slice(1), `${value}\n`, ` ${value}`, `${value}0`]
    others.push(value.replace('ar_live_', 'ar_prod_'), value.toUpperCase(), 'ä'.repeat(46))
    for (const other of others) expect(modeOfValue(other)).toBeUndefined()
  })

  test('has a prefix of 12 characters and a SHA-256 of the full value', () => {
    const value = generateValue('test')
    expect(prefixOfValue(value)).toBe(value.slice(0, 12))
    expect(hashValue('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

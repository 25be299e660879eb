import { describe, expect, test } from 'bun:test'
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

  test('ends in the CRC32 of what precedes, in base62, most significant digit first', () => {
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

  test('is refused after any change of one character, and any swap of two neighbours', () => {
    const value = generateValue('live')
    for (let i = 0; i < value.length; i++) {
      const other = value.charAt(i) === 'x' ? 'y' : 'x'
      expect(modeOfValue(value.slice(0, i) + other + value.slice(i + 1))).toBeUndefined()
      if (value.charAt(i) !== value.charAt(i + 1) && i + 1 < value.length)
        expect(
          modeOfValue(
            value.slice(0, i) + value.charAt(i + 1) + value.charAt(i) + value.slice(i + 2),
          ),
        ).toBeUndefined()
    }
  })

  test('is refused in any other form', () => {
    const value = generateValue('live')
    const others = ['', 'ar_live_', value.slice(1), `${value}\n`, ` ${value}`, `${value}0`]
    others.push(value.replace('ar_live_', 'ar_prod_'), value.toUpperCase(), 'ä'.repeat(46))
    for (const other of others) expect(modeOfValue(other)).toBeUndefined()
  })

  test('keeps 12 readable characters and the SHA-256 of all', () => {
    const value = generateValue('test')
    expect(prefixOfValue(value)).toBe(value.slice(0, 12))
    expect(hashValue('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

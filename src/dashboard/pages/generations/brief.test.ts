import { expect, test } from 'bun:test'
import { toWords } from './brief'

test('words are read as pages show them, and what is no number is left to the server to refuse', () => {
  expect(['', ' 1200 ', '1,500', '10,000', '1\u202f200'].map(toWords)).toEqual([
    null,
    1200,
    1500,
    10000,
    1200,
  ])
  for (const wrong of ['1200 words', '1,5', '12,00', 'about 900', '1e999'])
    expect(toWords(wrong)).toBe(wrong)
  expect(toWords('1.200')).toBe(1.2)
})

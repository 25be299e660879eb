import { expect, test } from 'bun:test'
import { newToken } from '../../people/token'
import { codeOf } from './code'

test('a challenge has one code of eight symbols, none of which looks like another', () => {
  const codes = Array.from({ length: 200 }, newToken).map(codeOf)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(new Set(codes).size).toBe(200)
})

test('the code is the first 40 bits', () => {
  expect(codeOf('A'.repeat(43))).toBe('0000-0000')
  expect(codeOf('_'.repeat(43))).toBe('ZZZZ-ZZZZ')
  expect(codeOf(`AAAAAAQ${'_'.repeat(36)}`)).toBe('0000-0004')
})

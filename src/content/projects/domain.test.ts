import { expect, test } from 'bun:test'
import { fc } from '../../../test/support/property'
import { readableDomain, toDomain } from './domain'

test.each([
  ['xn--gipfelglck-heb.de', 'gipfelglück.de'],
  ['xn--fa-hia.de', 'faß.de'],
  ['xn--e1afmkfd.xn--p1ai', 'пример.рф'],
  ['blog.acme.com', 'blog.acme.com'],
])('%s is read as %s, and typed so', (domain, readable) => {
  expect(readableDomain(domain)).toBe(readable)
  expect(toDomain(` ${readable} `)).toBe(domain)
})

test.each(['xn--99999999999.de', 'xn--a.de', 'acme.xn--vermgensberatung-pwb', 'xn--abc-.de'])(
  '%s stands for other letters or for none, and stays',
  domain => {
    expect(toDomain(readableDomain(domain))).toBe(domain)
  },
)

test('a domain is the same after it was read and typed', () => {
  fc.assert(
    fc.property(fc.domain(), fc.string({ unit: 'grapheme', minLength: 1 }), (domain, label) => {
      const typed = toDomain(`${label}.${domain}`)
      expect(toDomain(readableDomain(typed))).toBe(typed)
    }),
  )
})

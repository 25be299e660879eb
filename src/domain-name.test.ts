import { expect, test } from 'bun:test'
import { fc } from '../test/support/property'
import { readableDomain, toDomain } from './domain-name'

test.each([
  ['xn--gipfelglck-heb.de', 'gipfelglück.de'],
  ['xn--fa-hia.de', 'faß.de'],
  ['xn--e1afmkfd.xn--p1ai', 'пример.рф'],
  ['blog.acme.com', 'blog.acme.com'],
])('%s is read as %s, and typed so', (domain, readable) => {
  expect(readableDomain(domain)).toBe(readable)
  expect(toDomain(` ${readable} `)).toBe(domain)
})

test.each(['xn--99999999999.de', 'xn--a.de', 'xn--abc-.de', 'xn--Mnchen-3ya.de'])(
  '%s is not how DNS has any letters, and stays',
  domain => {
    expect(readableDomain(domain)).toBe(domain)
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

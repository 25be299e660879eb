import { expect, test } from 'bun:test'
import { fc } from '../../test/support/property'
import { foldEmail } from './store'

test.each([
  [' Ada@Example.com ', 'ada@example.com'],
  ['anna@xn--mller-kva.de', 'anna@müller.de'],
  ['Anna@MÜLLER.de', 'anna@müller.de'],
  ['jörg@example.org', 'jörg@example.org'],
  // No other host than was written.
  ['ada@ex%61mple.com', 'ada@ex%61mple.com'],
  ['ada@ü/@example.com', 'ada@ü/@example.com'],
  ['ada@ü.de\\.example.com', 'ada@ü.de\\.example.com'],
  ['ada', 'ada'],
])('%s is compared as %s', (email, folded) => {
  expect(foldEmail(email)).toBe(folded)
})

test('a folded address stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.domain(), (text, domain) => {
      for (const email of [text, `${text}@${domain}`, `ada@${text}.${domain}`])
        expect(foldEmail(foldEmail(email))).toBe(foldEmail(email))
    }),
  )
})

import { describe, expect, test } from 'bun:test'
import { fc } from '../../../test/support/property'
import type { Detail } from '../../errors'
import { createMemberCheck } from '../../http/request/member-check'
import { attemptHeaders } from '../signing/headers'
import { MASKED } from './custom-headers'
import { WebhookInput } from './schema'

/** Contract 4.16: which names and values are accepted. */

const check = createMemberCheck(WebhookInput)
const problems = (headers: Record<string, unknown>): Detail[] => {
  const wrong: Detail[] = []
  check({ url: 'https://hooks.example/', events: ['*'], headers }, wrong)
  return wrong
}

const TOKEN = [..."!#$%&'*+-.^_`|~09azAZ"]
/** A prefix, because some short names are reserved. */
const name = fc
  .string({ unit: fc.constantFrom(...TOKEN), minLength: 1, maxLength: 60 })
  .map(rest => `x!${rest}`)
const visible = fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code))
const value = fc
  .tuple(
    visible,
    fc.string({ unit: fc.oneof(visible, fc.constant(' ')), maxLength: 1_022 }),
    visible,
  )
  .map(parts => parts.join(''))
  .filter(text => text !== MASKED)

describe('a custom header', () => {
  test('has any token as its name and visible ASCII as its value', () => {
    fc.assert(
      fc.property(name, value, (name, value) => expect(problems({ [name]: value })).toEqual([])),
    )
  })

  test('has no name that is not a token', () => {
    const odd = fc
      .string({ minLength: 1, maxLength: 10 })
      .filter(text => /[^!#$%&'*+.^_`|~0-9A-Za-z-]/.test(text))
    fc.assert(fc.property(odd, odd => expect(problems({ [odd]: 'a' })).toHaveLength(1)))
    for (const wrong of ['', 'a b', 'a:', 'a\r\nb', 'é', 'x'.repeat(65)])
      expect([wrong, problems({ [wrong]: 'a' }).map(({ message }) => message)]).toEqual([
        wrong,
        [
          "must be the name of an HTTP header: 1 to 64 letters, digits and the characters !#$%&'*+-.^_`|~",
        ],
      ])
  })

  test('has no value with a line break, another control character or a character beyond ASCII', () => {
    const odd = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 10 })
      .filter(text => /[^ -~]/.test(text))
    fc.assert(fc.property(odd, odd => expect(problems({ 'X-A': `a${odd}b` })).toHaveLength(1)))
    for (const wrong of ['', ' a', 'a ', 'a\nb', 'x'.repeat(1_025), null, 5])
      expect([wrong, problems({ 'X-A': wrong }).length]).toEqual([wrong, 1])
  })

  test.each([
    ...Object.keys(
      attemptHeaders({ deliveryId: '', eventType: '', at: new Date() }, Buffer.alloc(64)),
    ),
    ...['Host', 'Content-Length', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding'],
    ...[
      'Upgrade',
      'Proxy-Authorization',
      'X-Webhook-Anything',
      'webhook-anything',
      'Accept-Encoding',
    ],
  ])('is not %s, in any case', reserved => {
    for (const one of [reserved, reserved.toLowerCase(), reserved.toUpperCase()])
      expect(problems({ [one]: 'a' })).toEqual([
        {
          path: `headers.${one}`,
          message: 'is set by Arden or by the connection. Choose another name.',
        },
      ])
  })

  test('is there once, and there are at most 20', () => {
    expect(problems({ 'X-A': 'a', 'x-a': 'b' }).map(({ path }) => path)).toEqual(['headers.x-a'])
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'a']))
    expect(problems(many(20))).toEqual([])
    expect(problems(many(21))).toEqual([
      { path: 'headers', message: 'must have at most 20 members' },
    ])
  })

  test('has no masked value', () => {
    expect(problems({ 'X-A': MASKED })).toEqual([
      {
        path: 'headers.X-A',
        message:
          'is the masked value of a response. Leave the header out to keep its value, or send the new one.',
      },
    ])
  })
})

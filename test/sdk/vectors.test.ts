import { describe, expect, test } from 'bun:test'
import { verifyWebhook } from '../../packages/sdk/src'
import { vectors } from '../../packages/sdk/vectors.json'
import { signedHeaders } from '../../src/webhooks/signing/headers'
import { fc } from '../support/property'
import { settled } from '../support/settled'
import type { Vector } from './vectors'

// That verifyWebhook and the snippets of docs/verify.md judge the vectors as they say is shown by
// package.slow.test.ts and languages.slow.test.ts; here: the vectors and the verifier are true to what is sent.

const secrets = [...new Set(vectors.flatMap(vector => vector.secrets))]
/** The secrets of a webhook, with and without an overlapping rotation. */
const pairs = secrets.flatMap(current => [
  { current, previous: [] },
  ...secrets.filter(one => one !== current).map(previous => ({ current, previous: [previous] })),
])
const textOf = (vector: Vector) => Buffer.from(vector.body, 'base64').toString()

describe('packages/sdk/vectors.json', () => {
  const sent: Vector[] = vectors.filter(vector => vector.event)

  test.each(sent)('what is accepted is what the server sends: $name', vector => {
    const header = (name: string) => new Headers(vector.headers).get(name) ?? ''
    const made = pairs.map(pair =>
      signedHeaders({
        deliveryId: header('x-webhook-delivery-id'),
        eventType: header('x-webhook-event'),
        body: textOf(vector),
        secrets: pair,
        at: new Date(header('x-webhook-timestamp')),
      }),
    )
    const given = Object.fromEntries(new Headers(vector.headers))
    // A later version of Standard Webhooks, which Arden does not send, may stand beside ours.
    if ('webhook-signature' in given)
      given['webhook-signature'] = given['webhook-signature'].replace(/v2,\S+ /, '')
    expect(made.map(one => Object.fromEntries(new Headers(one)))).toContainEqual(
      expect.objectContaining(given),
    )
  })

  test('has an empty body, one that is not ASCII, two secrets, an age limit, and many that are refused', () => {
    const texts = sent.map(textOf)
    expect(vectors.some(vector => vector.genuine && vector.body === '')).toBe(true)
    expect(texts.some(text => /[^ -~\s]/.test(text))).toBe(true)
    expect(vectors.some(vector => vector.genuine && vector.secrets.length > 1)).toBe(true)
    expect(vectors.some(vector => vector.genuine && vector.max_age_seconds !== null)).toBe(true)
    expect(vectors.filter(vector => !vector.genuine).length).toBeGreaterThan(15)
    expect(new Set(vectors.map(vector => vector.name)).size).toBe(vectors.length)
  })
})

describe('whatever is sent, in any script', () => {
  const secret = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => bytes.toHex())
  const event = fc
    .record({ id: fc.uuid(), event: fc.string(), data: fc.jsonValue({ stringUnit: 'binary' }) })
    .map(envelope => JSON.stringify(envelope))

  test('verifyWebhook takes it with its secret and no other, and with no byte changed', async () => {
    await fc.assert(
      fc.asyncProperty(event, secret, secret, fc.nat(), async (body, current, other, place) => {
        fc.pre(current !== other)
        const headers = signedHeaders({
          deliveryId: 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne',
          eventType: 'article.created',
          body,
          secrets: { current, previous: [] },
          at: new Date(),
        })
        const options = { maxAgeSeconds: 300 }
        expect(JSON.stringify(await verifyWebhook(body, headers, current, options))).toBe(body)
        expect(await settled(verifyWebhook(body, headers, other))).toThrow(
          'The signature does not match',
        )
        const bytes = Buffer.from(body)
        bytes[place % bytes.length] = (bytes[place % bytes.length] ?? 0) ^ 1
        expect(await settled(verifyWebhook(bytes, headers, current))).toThrow(
          'The signature does not match',
        )
      }),
      { numRuns: 100 },
    )
  })
})

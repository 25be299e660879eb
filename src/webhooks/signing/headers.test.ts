import { describe, expect, test } from 'bun:test'
import { createHmac, randomBytes } from 'node:crypto'
import { verify } from '@octokit/webhooks-methods'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { fc } from '../../../test/support/property'
import { createCipher } from './encryption'
import { signedHeaders } from './headers'
import { newSecret, signingSecrets } from './secret'

const [current, previous] = [newSecret(), newSecret()]
const body = JSON.stringify({
  id: 'evt_1',
  event: 'article.created',
  data: { title: 'Zürich 東京' },
})
const attempt = {
  deliveryId: 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne',
  eventType: 'article.created',
  body,
  secrets: { current, previous: [] },
  at: new Date(),
}

/** The secret in the form that a Standard Webhooks verifier takes (contract 4.10). */
const standardVerifier = (secret: string) =>
  new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`)

describe('contract 4.8, headers of a delivery', () => {
  test('every header of the table has exactly its value', () => {
    const headers = signedHeaders({ ...attempt, at: new Date('2026-01-31T12:00:00.250Z') })
    expect(headers).toMatchObject({
      'X-Webhook-Event': 'article.created',
      'X-Webhook-Delivery-Id': 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne',
      'X-Webhook-Timestamp': '2026-01-31T12:00:00.250Z',
      'Content-Type': 'application/json',
      'User-Agent': 'Arden-Webhook/1.0',
    })
    expect(headers['X-Webhook-Signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
  })

  test('no header contains the secret', () => {
    expect(JSON.stringify(signedHeaders(attempt))).not.toContain(current)
  })
})

describe('contract 4.9, signature', () => {
  const signature = signedHeaders(attempt)['X-Webhook-Signature'] ?? ''

  test('is the HMAC-SHA256 of the raw body, keyed with the 64 characters of the secret', async () => {
    expect(await verify(current, body, signature)).toBe(true)
    const digest = new Bun.CryptoHasher('sha256', current).update(body).digest('hex')
    expect(signature).toBe(`sha256=${digest}`)
  })

  test('does not verify with another secret or a changed byte', async () => {
    expect(await verify(previous, body, signature)).toBe(false)
    expect(await verify(current, `${body} `, signature)).toBe(false)
    const fromBytes = createHmac('sha256', Buffer.from(current, 'hex')).update(body).digest('hex')
    expect(signature).not.toBe(`sha256=${fromBytes}`)
  })

  test('uses only the current secret during an overlap', () => {
    const headers = signedHeaders({ ...attempt, secrets: { current, previous: [previous] } })
    expect(headers['X-Webhook-Signature']).toBe(signature)
  })
})

describe('contract 4.10, Standard Webhooks headers', () => {
  test('an off-the-shelf verifier accepts them', () => {
    const headers = signedHeaders(attempt)
    expect(standardVerifier(current).verify(body, headers)).toEqual(JSON.parse(body))
    expect(headers['webhook-id']).toBe(attempt.deliveryId)
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(attempt.at.getTime() / 1000)))
  })

  test('during an overlap receivers with either secret accept them', () => {
    const headers = signedHeaders({ ...attempt, secrets: { current, previous: [previous] } })
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
    standardVerifier(current).verify(body, headers)
    standardVerifier(previous).verify(body, headers)
  })

  test('without an overlap only the current secret does', () => {
    expect(() => standardVerifier(previous).verify(body, signedHeaders(attempt))).toThrow(
      WebhookVerificationError,
    )
  })

  test('a replay is refused: an old timestamp, another id', () => {
    const old = signedHeaders({ ...attempt, at: new Date(Date.now() - 3_600_000) })
    expect(() => standardVerifier(current).verify(body, old)).toThrow(WebhookVerificationError)
    const other = { ...signedHeaders(attempt), 'webhook-id': 'dlv_other' }
    expect(() => standardVerifier(current).verify(body, other)).toThrow(WebhookVerificationError)
  })
})

describe('any body, in any script', () => {
  const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => bytes.toHex())
  const envelopes = fc
    .record({ id: fc.uuid(), data: fc.jsonValue({ stringUnit: 'binary' }) })
    .map(envelope => JSON.stringify(envelope))

  test('third-party verifiers accept its bytes with its secret, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(envelopes, secrets, secrets, async (body, secret, other) => {
        fc.pre(secret !== other)
        const headers = signedHeaders({
          ...attempt,
          body,
          secrets: { current: secret, previous: [] },
        })
        const signature = headers['X-Webhook-Signature'] ?? ''
        expect(await verify(secret, body, signature)).toBe(true)
        expect(await verify(other, body, signature)).toBe(false)
        const standard = standardVerifier(secret)
        expect(JSON.stringify(standard.verify(Buffer.from(body), headers))).toBe(body)
        expect(() => standardVerifier(other).verify(body, headers)).toThrow(
          WebhookVerificationError,
        )
      }),
      { numRuns: 300 },
    )
  })

  test('a change of any byte is detected', async () => {
    await fc.assert(
      fc.asyncProperty(
        envelopes,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (body, place, bits) => {
          const headers = signedHeaders({ ...attempt, body })
          const bytes = Buffer.from(body)
          const index = place % bytes.length
          bytes[index] = (bytes[index] ?? 0) ^ bits
          const digest = new Bun.CryptoHasher('sha256', current).update(bytes).digest('hex')
          expect(headers['X-Webhook-Signature']).not.toBe(`sha256=${digest}`)
          const text = bytes.toString()
          // octokit takes text, and these bytes are not UTF-8.
          if (Buffer.from(text).equals(bytes))
            expect(await verify(current, text, headers['X-Webhook-Signature'] ?? '')).toBe(false)
          expect(() => standardVerifier(current).verify(bytes, headers)).toThrow(
            WebhookVerificationError,
          )
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('contract 4.5, the secrets of an attempt', () => {
  const cipher = createCipher(randomBytes(32))
  const until = new Date('2026-01-31T12:00:00.000Z')
  const stored = {
    secret: cipher.encrypt(current, 'wh_1'),
    previous_secret: cipher.encrypt(previous, 'wh_1'),
    previous_secret_until: until,
  }

  test('the previous secret is used until its overlap ends', () => {
    expect(signingSecrets(cipher, 'wh_1', stored, new Date(until.getTime() - 1))).toEqual({
      current,
      previous: [previous],
    })
    expect(signingSecrets(cipher, 'wh_1', stored, until)).toEqual({ current, previous: [] })
  })

  test('there is no previous secret without a rotation', () => {
    const single = { ...stored, previous_secret: null, previous_secret_until: null }
    expect(signingSecrets(cipher, 'wh_1', single, until)).toEqual({ current, previous: [] })
  })
})

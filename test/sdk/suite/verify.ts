import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { verifyWebhook, WebhookVerificationError } from '@arden/sdk'
import type { Vector } from '../vectors'

const file = fileURLToPath(import.meta.resolve('@arden/sdk/vectors.json'))
const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(file, 'utf8'))

const optionsOf = ({ max_age_seconds }: Vector) => ({ maxAgeSeconds: max_age_seconds })

for (const vector of vectors) {
  const { name, genuine, event, headers, secrets } = vector
  test(`${genuine ? 'accepts' : 'refuses'}: ${name}`, async () => {
    const body = Uint8Array.from(Buffer.from(vector.body, 'base64'))
    const verified = verifyWebhook(body, headers, secrets, optionsOf(vector))
    if (event) assert.deepEqual(await verified, JSON.parse(Buffer.from(body).toString()))
    else
      await assert.rejects(verified, (error: unknown) => {
        assert(error instanceof WebhookVerificationError)
        // An empty body can be genuine, but is no event.
        assert.equal(error.code === 'NO_EVENT', genuine)
        return true
      })
  })
}

const [first] = vectors
assert(first)
const { headers } = first
const bytes = Buffer.from(first.body, 'base64')
const [secret = ''] = first.secrets
/** The vectors were signed in the past. */
const noLimit = { maxAgeSeconds: null }

test('takes text, bytes, a part of a larger buffer; headers of fetch and of Node', async () => {
  const larger = Uint8Array.from([1, 2, ...bytes, 3])
  for (const body of [bytes.toString(), bytes, larger.subarray(2, -1), larger.buffer.slice(2, -1)])
    assert.equal((await verifyWebhook(body, headers, secret, noLimit)).event, 'article.published')
  await verifyWebhook(bytes, new Headers(headers), secret, noLimit)
})

test('takes a secret in the form of Standard Webhooks', async () => {
  await verifyWebhook(bytes, headers, `whsec_${Buffer.from(secret).toString('base64')}`, noLimit)
})

test('a body that was parsed, and no secret, are mistakes of the program and say so', async () => {
  const parsed = JSON.parse(bytes.toString())
  await assert.rejects(verifyWebhook(parsed, headers, secret), /body parser/)
  await assert.rejects(verifyWebhook(bytes, headers, ''), /secret/)
  await assert.rejects(verifyWebhook(bytes, headers, []), /secret/)
  // As from a variable of the environment that is not set.
  await assert.rejects(verifyWebhook(bytes, headers, undefined as unknown as string), /secret/)
})

test('no body, as Express has it where no parser has read one, is refused and says why', async () => {
  for (const none of [undefined, {}, Object.create(null)])
    await assert.rejects(verifyWebhook(none as never, headers, secret), {
      code: 'NO_BODY',
      message: /no body here.*express\.raw/,
    })
})

test('a secret that is none is a mistake of the program and says so, even with a signature made by it', async () => {
  const standard = `whsec_${Buffer.from(secret).toString('base64')}`
  for (const broken of [
    ...['whsec_', 'whsec_undefined', 'whsec_-', 'undefined', 'abc', `"${secret}"`, ' '],
    ...[secret.slice(1), standard.slice('whsec_'.length), standard.slice(0, -4)],
  ])
    await assert.rejects(verifyWebhook(bytes, headers, broken), {
      name: 'TypeError',
      message: /not a webhook secret.*copied completely/,
    })
})

test('takes a secret from a file, which ends with a line break', async () => {
  const standard = `whsec_${Buffer.from(secret).toString('base64')}`
  for (const one of [secret, standard])
    await verifyWebhook(bytes, headers, [`${one}\n`, ` ${one}\r\n`], noLimit)
})

test('signatures that are none are refused as such, and of very many the first ten are looked at', async () => {
  const genuine = headers['webhook-signature'] ?? ''
  const forged = `v1,${'A'.repeat(43)}=`
  const withSignatures = (...signatures: string[]) =>
    verifyWebhook(bytes, { ...headers, 'webhook-signature': signatures.join(' ') }, secret, noLimit)
  for (const broken of ['', 'v1', 'v1,', `v1,${'_'.repeat(43)}=`, `v1,${'é'.repeat(43)}=`, ' , '])
    await assert.rejects(withSignatures(broken), { code: 'WRONG_SIGNATURE' })
  await withSignatures(...Array(9).fill(forged), genuine)
  await assert.rejects(withSignatures(...Array(10).fill(forged), genuine), WebhookVerificationError)
})

test('the reason of a refusal has a code', async () => {
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      error => error.code,
    )
  assert.equal(await codeOf(verifyWebhook(bytes, {}, secret)), 'NO_SIGNATURE')
  assert.equal(await codeOf(verifyWebhook('{}', headers, secret)), 'WRONG_SIGNATURE')
  const old = verifyWebhook(bytes, headers, secret, { maxAgeSeconds: 300 })
  assert.equal(await codeOf(old), 'TOO_OLD')
})

test('rejects a delivery signed more than 300 s ago or ahead, unless another limit is set', async () => {
  const sign = (secondsAgo: number) => {
    const id = 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne'
    const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(bytes)
    return {
      'x-webhook-delivery-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature.digest('base64')}`,
    }
  }
  await verifyWebhook(bytes, sign(0), secret)
  await verifyWebhook(bytes, sign(240), secret)
  await assert.rejects(verifyWebhook(bytes, sign(360), secret), {
    code: 'TOO_OLD',
    message: /^It was signed 36\d s ago; at most 300 s are permitted/,
  })
  await assert.rejects(verifyWebhook(bytes, sign(-360), secret), {
    code: 'TOO_OLD',
    message: /^It was signed 3[56]\d s in the future; at most 300 s/,
  })
  await verifyWebhook(bytes, sign(360), secret, { maxAgeSeconds: 600 })
  await verifyWebhook(bytes, sign(360), secret, noLimit)
})

test('rejects a signature that covers no time, unless the limit is turned off', async () => {
  const signature = createHmac('sha256', secret).update(bytes).digest('hex')
  const withoutTime = { 'x-webhook-signature': `sha256=${signature}` }
  await assert.rejects(verifyWebhook(bytes, withoutTime, secret), { code: 'NO_SIGNATURE' })
  await verifyWebhook(bytes, withoutTime, secret, noLimit)
})

import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { useDatabase } from '../../../test/support/database'
import { createSample } from '../../../test/support/webhooks/sample'
import { createCipher } from '../signing/encryption'
import { reportWebhookHealth } from './health'

const { sql } = await useDatabase()

test('a secret or a header that no key decrypts is lost', async () => {
  const sample = await createSample(sql, 'https://hooks.example.com/in')
  const [{ account_id: accountId }] = await sql<[{ account_id: string }]>`
    SELECT account_id FROM webhooks`
  const isLost = async (cipher = sample.cipher) =>
    (await reportWebhookHealth(sql, cipher, { accountId, mode: 'live' }))[sample.webhookId]
      ?.secret_lost
  const other = createCipher(randomBytes(32))
  expect(await isLost()).toBe(false)
  expect(await isLost(other)).toBe(true)
  await sql`UPDATE webhooks SET headers = ${sql.json({ 'X-Team': other.encrypt('blue', 'any') })}`
  expect(await isLost()).toBe(true)
})

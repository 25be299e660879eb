import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { settled } from '../../../test/support/settled'
import { createWebhook, deleteWebhook, rotateSecret } from '../endpoints/store'
import { checkEncryptionKey, createCipher } from './encryption'
import { forgetLostKey } from './lost-key'
import { reencryptSecrets } from './reencryption'
import { type StoredSecrets, signingSecrets } from './secret'

const lost = createCipher(randomBytes(32))
const fresh = createCipher(randomBytes(32))

const { sql } = await useDatabase()
const caller = await createCaller(sql)
await checkEncryptionKey(sql, lost)

test('processes start with a new key after the lost one is named, and the webhooks without a secret are listed', async () => {
  const url = 'https://1.1.1.1/'
  const { id } = await sql.begin(tx =>
    createWebhook(tx, lost, caller, { url, events: ['article.created'] }),
  )
  expect(await settled(checkEncryptionKey(sql, fresh))).toThrow(lost.keyId)
  expect(await settled(forgetLostKey(sql, fresh, fresh.keyId, caller.actor))).toThrow(
    `needs the key ${lost.keyId}, not ${fresh.keyId}`,
  )
  expect(await settled(forgetLostKey(sql, lost, lost.keyId, caller.actor))).toThrow(
    'it is not lost',
  )
  expect(await settled(checkEncryptionKey(sql, fresh))).toThrow(lost.keyId)

  expect(await forgetLostKey(sql, fresh, lost.keyId, caller.actor)).toEqual([
    { id, account_id: caller.accountId, url },
  ])
  await checkEncryptionKey(sql, fresh)
  const entries = await sql`
    SELECT action, changes FROM audit_entries WHERE subject_id = ${caller.accountId}`
  expect([...entries]).toEqual([
    {
      action: 'account.encryption_key_replaced',
      changes: { encryption_key: { from: lost.keyId, to: fresh.keyId } },
    },
  ])
})

test('the lost secret of a deleted webhook does not keep the next change of the key from its end', async () => {
  const { id } = await sql.begin(tx =>
    createWebhook(tx, lost, caller, { url: 'https://1.1.1.1/', events: ['article.created'] }),
  )
  expect((await reencryptSecrets(sql, fresh, caller.actor)).left).toContain(id)
  await sql.begin(tx => deleteWebhook(tx, caller, id))
  expect((await reencryptSecrets(sql, fresh, caller.actor)).left).not.toContain(id)
})

test('a rotation with an overlap keeps no secret that cannot be decrypted', async () => {
  const { id } = await sql.begin(tx =>
    createWebhook(tx, lost, caller, { url: 'https://1.1.1.1/', events: ['article.created'] }),
  )
  const { secret } = await sql.begin(tx => rotateSecret(tx, fresh, caller, id, 3_600))
  const [row] = await sql<[StoredSecrets]>`
    SELECT secret, previous_secret, previous_secret_until FROM webhooks WHERE id = ${id}`
  expect(signingSecrets(fresh, id, row, new Date())).toEqual({ current: secret, previous: [] })
})

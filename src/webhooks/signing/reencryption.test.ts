import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { settled } from '../../../test/support/settled'
import { createWebhook, rotateSecret } from '../endpoints/store'
import { type Cipher, checkEncryptionKey, createCipher, readRequiredKey } from './encryption'
import { decryptHeaders, type StoredHeaders } from './header-values'
import { reencryptSecrets } from './reencryption'

const [OLD, NEW, LOST] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const both = createCipher(NEW, OLD)

const { sql } = await useDatabase()
const caller = await createCaller(sql)
await checkEncryptionKey(sql, createCipher(OLD))

const add = (cipher = createCipher(OLD)) =>
  sql.begin(tx =>
    createWebhook(tx, cipher, caller, { url: 'https://1.1.1.1/', events: ['article.created'] }),
  )

test('keeps every secret, over many batches with concurrent rotations', async () => {
  const webhooks = await Promise.all(Array.from({ length: 450 }, () => add()))
  const secrets = new Map(webhooks.map(({ id, secret }) => [id, secret]))
  const rotating = (async () => {
    for (const { id } of webhooks.filter((_, index) => index % 50 === 0)) {
      const { secret } = await sql.begin(tx => rotateSecret(tx, both, caller, id, 60))
      secrets.set(id, secret)
    }
  })()
  const [{ left }] = await Promise.all([reencryptSecrets(sql, both, caller.actor), rotating])
  expect(left).toEqual([])
  const now = createCipher(NEW)
  const rows = await sql`SELECT id, secret, previous_secret FROM webhooks`
  for (const { id, secret, previous_secret } of rows) {
    expect(now.decrypt(secret, id)).toBe(secrets.get(id) ?? '')
    if (previous_secret !== null) expect(now.decrypt(previous_secret, id)).toMatch(/^[0-9a-f]{64}$/)
  }
})

test('keeps every custom header, and reports one of a missing key', async () => {
  const create = (cipher: Cipher) =>
    sql.begin(tx =>
      createWebhook(tx, cipher, caller, {
        url: 'https://1.1.1.1/',
        events: ['article.created'],
        headers: { Authorization: 'Bearer a', 'X-Team': 'content' },
      }),
    )
  const { id } = await create(createCipher(OLD))
  const lost = await create(createCipher(OLD))
  // A secret of the new key beside headers of one that is missing.
  const [{ headers }] = await sql<[{ headers: StoredHeaders }]>`
    SELECT headers FROM webhooks WHERE id = ${(await create(createCipher(LOST))).id}`
  await sql`
    UPDATE webhooks SET headers = ${sql.json(headers)}, secret = ${both.encrypt('s', lost.id)}
    WHERE id = ${lost.id}`
  expect((await reencryptSecrets(sql, both, caller.actor)).left).toContain(lost.id)
  const [row] = await sql<[{ headers: StoredHeaders }]>`
    SELECT headers FROM webhooks WHERE id = ${id}`
  expect(decryptHeaders(createCipher(NEW), id, row.headers)).toEqual({
    Authorization: 'Bearer a',
    'X-Team': 'content',
  })
  await sql`DELETE FROM webhooks`
})

test('reports a secret of a missing key, and keeps the old key required', async () => {
  await sql`UPDATE deployment SET encryption_canary = NULL`
  await checkEncryptionKey(sql, createCipher(OLD))
  const { id } = await add(createCipher(LOST))
  const { secret } = await add()
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(await reencryptSecrets(sql, both, caller.actor)).toEqual({ changed: 1, left: [id] })
  expect(await settled(checkEncryptionKey(sql, createCipher(NEW)))).toThrow('ARDEN_ENCRYPTION_KEY')
  expect(await reencryptSecrets(sql, createCipher(NEW, LOST), caller.actor)).toEqual({
    changed: 1,
    left: [],
  })
  await checkEncryptionKey(sql, createCipher(NEW))
})

test('the age of the key restarts, and the audit history has it, only when a start needs another key', async () => {
  await sql`UPDATE deployment SET encryption_canary = NULL, encryption_key_since = NULL`
  expect(await readRequiredKey(sql)).toBeUndefined()
  await sql`DELETE FROM webhooks`
  await checkEncryptionKey(sql, createCipher(OLD))
  await sql`UPDATE deployment SET encryption_key_since = now() - interval '90 days'`
  const before = await readRequiredKey(sql)
  const audited = () => sql`
    SELECT actor_id, changes FROM audit_entries
    WHERE subject_id = ${caller.accountId} AND action = 'account.encryption_key_changed' ORDER BY id`
  const { length: auditedBefore } = await audited()
  expect(before?.id).toBe(createCipher(OLD).keyId)
  await checkEncryptionKey(sql, createCipher(OLD))
  await reencryptSecrets(sql, createCipher(OLD), caller.actor)
  expect(await readRequiredKey(sql)).toEqual(before)
  expect(await audited()).toHaveLength(auditedBefore)
  await reencryptSecrets(sql, both, caller.actor)
  const after = await readRequiredKey(sql)
  expect(after?.id).toBe(both.keyId)
  expect((await audited()).slice(auditedBefore)).toEqual([
    {
      actor_id: caller.actor.id,
      changes: { encryption_key: { from: before?.id, to: both.keyId } },
    },
  ])
  expect(Date.now() - Date.parse(String(after?.since))).toBeLessThan(60_000)
})

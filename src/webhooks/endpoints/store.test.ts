import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { allNotFound } from '../../../test/support/http/not-found'
import type { Caller } from '../../caller'
import type { Tx } from '../../db/connect'
import { isId } from '../../ids'
import { createCipher } from '../signing/encryption'
import { reencryptSecrets } from '../signing/reencryption'
import { type StoredSecrets, signingSecrets } from '../signing/secret'
import type { WebhookInput } from './schema'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './store'

const [KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)]
const cipher = createCipher(KEY)
const input: WebhookInput = { url: 'https://hooks.example/t0ken', events: ['article.created'] }

const { sql } = await useDatabase()
const caller = await createCaller(sql)

const inTransaction = <T>(fn: (tx: Tx) => Promise<T>) => sql.begin(fn) as Promise<T>
const create = (by = caller, changes: Partial<WebhookInput> = {}) =>
  inTransaction(tx => createWebhook(tx, cipher, by, { ...input, ...changes }))
const update = (id: string, changes: Parameters<typeof updateWebhook>[4], by = caller) =>
  inTransaction(tx => updateWebhook(tx, cipher, by, id, changes))
const rotate = (id: string, overlapSeconds = 0, by = caller) =>
  inTransaction(tx => rotateSecret(tx, cipher, by, id, overlapSeconds))
const remove = (id: string, by = caller) => inTransaction(tx => deleteWebhook(tx, by, id))

const audit = (id: string) =>
  sql`SELECT action, changes, actor_id, address FROM audit_entries WHERE subject_id = ${id} ORDER BY id`
const stored = async (id: string) => {
  const [row] = await sql<[StoredSecrets]>`
    SELECT secret, previous_secret, previous_secret_until FROM webhooks WHERE id = ${id}`
  return row
}

describe('contract 4.1, the webhook record', () => {
  test('create returns the record with its secret, once', async () => {
    const { secret, standard_webhooks_secret, ...webhook } = await create()
    expect(webhook).toEqual({
      id: expect.any(String),
      url: 'https://hooks.example/t0ken',
      events: ['article.created'],
      enabled: true,
      description: null,
      disabled_reason: null,
      headers: {},
      ordered: false,
      paused: false,
      test_mode: false,
      updated_at: webhook.created_at,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(isId('wh', webhook.id)).toBe(true)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    const key = Buffer.from(standard_webhooks_secret.replace('whsec_', ''), 'base64')
    expect(key.toString()).toBe(secret)
    expect(await getWebhook(sql, caller, webhook.id)).toEqual(webhook)
  })

  test('the secret is stored encrypted', async () => {
    const { id, secret } = await create()
    const row = await stored(id)
    expect(JSON.stringify(row)).not.toContain(secret)
    expect(signingSecrets(cipher, id, row, new Date())).toEqual({ current: secret, previous: [] })
  })

  test('a webhook of a test key is hidden from live keys of the account', async () => {
    const tester = await createCaller(sql, 'test', caller.accountId)
    const webhook = await create(tester)
    expect(webhook.test_mode).toBe(true)
    expect(await getWebhook(sql, caller, webhook.id).catch(error => error)).toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('a webhook of another account is not found by any operation', async () => {
    const { id } = await create()
    const stranger = await createCaller(sql)
    await allNotFound([
      getWebhook(sql, stranger, id),
      update(id, { enabled: false }, stranger),
      rotate(id, 0, stranger),
      remove(id, stranger),
    ])
    expect((await getWebhook(sql, caller, id)).enabled).toBe(true)
  })

  test('a malformed id is not found', async () => {
    for (const id of ['', 'wh_', '\u0000', 'evt_01kafz3v5tf4qrm8z3x9d2c7ne', "' OR 1=1"])
      expect(await getWebhook(sql, caller, id).catch(error => error)).toMatchObject({
        code: 'NOT_FOUND',
      })
  })

  test('lists newest first, in pages without gaps or duplicates', async () => {
    const owner = await createCaller(sql)
    const ids: string[] = []
    for (let count = 0; count < 5; count++) ids.unshift((await create(owner)).id)
    const first = await listWebhooks(sql, owner, {}, { limit: 2, before: null })
    await create(owner)
    const second = await listWebhooks(sql, owner, {}, { limit: 3, before: first.next })
    expect([...first.rows, ...second.rows].map(({ id }) => id)).toEqual(ids)
    expect(second.next).toBeNull()
  })
})

describe('contract 4.2, changing a webhook', () => {
  test('changes url, events, enabled and description individually', async () => {
    const { id, secret, standard_webhooks_secret, ...created } = await create()
    const changes = {
      url: 'https://other.example/',
      events: ['article.deleted' as const, 'keyword.ranked' as const],
      description: 'the blog',
    }
    await update(id, { url: changes.url })
    await update(id, { events: changes.events })
    const last = await update(id, { description: changes.description })
    expect(last).toEqual({ ...created, id, ...changes, updated_at: last.updated_at } as typeof last)
    expect(await update(id, { description: null })).toMatchObject({ description: null })
  })

  test('disabling sets disabled_reason, and enabling clears it', async () => {
    const { id } = await create()
    expect(await update(id, { enabled: false })).toMatchObject({
      enabled: false,
      disabled_reason: 'disabled through the API',
    })
    expect(await update(id, { enabled: true })).toMatchObject({
      enabled: true,
      disabled_reason: null,
    })
  })

  test('disabled_reason says where a user has disabled it', async () => {
    const user: Caller = { ...caller, actor: { type: 'user', id: 'usr_1', name: 'Ada' } }
    const { id } = await create(user)
    expect(await update(id, { enabled: false }, user)).toMatchObject({
      disabled_reason: 'disabled in the dashboard',
    })
  })

  test('another change keeps disabled_reason', async () => {
    const { id } = await create()
    await sql`UPDATE webhooks SET enabled = false, disabled_reason = 'failed for 5 days' WHERE id = ${id}`
    const after = await update(id, { enabled: false, description: 'x' })
    expect(after.disabled_reason).toBe('failed for 5 days')
  })

  test('a PATCH without a difference leaves no audit entry', async () => {
    const { id } = await create()
    await update(id, { ...input, enabled: true, description: null })
    expect(await audit(id)).toHaveLength(1)
  })

  test('a deleted webhook is hidden', async () => {
    const { id } = await create()
    expect(await remove(id)).toEqual({ id, deleted: true })
    await allNotFound([getWebhook(sql, caller, id), update(id, {}), rotate(id), remove(id)])
    const page = await listWebhooks(sql, caller, {}, { limit: 100, before: null })
    expect(page.rows.map(webhook => webhook.id)).not.toContain(id)
  })
})

describe('contract 4.5, rotate-secret', () => {
  test('without an overlap only the new secret signs, at once', async () => {
    const { id, secret } = await create()
    const rotated = await rotate(id)
    expect(rotated.secret).toMatch(/^[0-9a-f]{64}$/)
    expect(rotated.secret).not.toBe(secret)
    expect(signingSecrets(cipher, id, await stored(id), new Date())).toEqual({
      current: rotated.secret,
      previous: [],
    })
  })

  test('with an overlap the previous secret is valid for that many seconds', async () => {
    const { id, secret } = await create()
    const before = Date.now()
    const rotated = await rotate(id, 3600)
    const row = await stored(id)
    const both = { current: rotated.secret, previous: [secret] }
    expect(signingSecrets(cipher, id, row, new Date(before + 3_599_000))).toEqual(both)
    expect(signingSecrets(cipher, id, row, new Date(Date.now() + 3_601_000)).previous).toEqual([])
  })

  test('a rotation during an overlap keeps each secret that signs, until the latest end', async () => {
    const { id, secret } = await create()
    const before = Date.now()
    const second = await rotate(id, 3600)
    const third = await rotate(id, 60)
    const row = await stored(id)
    const all = { current: third.secret, previous: [second.secret, secret] }
    expect(signingSecrets(cipher, id, row, new Date(before + 3_599_000))).toEqual(all)
    expect(signingSecrets(cipher, id, row, new Date(Date.now() + 3_601_000)).previous).toEqual([])
    expect((await reencryptSecrets(sql, createCipher(NEW_KEY, KEY), caller.actor)).left).toEqual([])
    expect(signingSecrets(createCipher(NEW_KEY), id, await stored(id), new Date())).toEqual(all)
  })

  test('a secret whose overlap has ended signs no more after another rotation', async () => {
    const { id } = await create()
    await rotate(id, 60)
    await sql`UPDATE webhooks SET previous_secret_until = now() - interval '1 s' WHERE id = ${id}`
    const { previous } = signingSecrets(cipher, id, await stored(id), new Date())
    expect(previous).toEqual([])
    await rotate(id, 60)
    const row = await stored(id)
    expect(signingSecrets(cipher, id, row, new Date()).previous).toHaveLength(1)
  })

  test('at most five secrets sign: one more rotation with an overlap ends the oldest', async () => {
    const { id } = await create()
    const secrets: string[] = []
    for (let n = 0; n < 6; n++) secrets.unshift((await rotate(id, 60)).secret)
    const { current, previous } = signingSecrets(cipher, id, await stored(id), new Date())
    expect([current, ...previous]).toEqual(secrets.slice(0, 5))
  })

  test('a rotation without an overlap ends an earlier overlap', async () => {
    const { id } = await create()
    await rotate(id, 86_400)
    await rotate(id)
    expect(await stored(id)).toMatchObject({ previous_secret: null, previous_secret_until: null })
  })
})

test('contract 3.11: create, change, rotate and delete are in the audit history, without secrets', async () => {
  const { id, secret } = await create()
  await update(id, { url: 'https://other.example/t0ken', enabled: false })
  const rotated = await rotate(id, 60)
  await remove(id)
  const entries = await audit(id)
  expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
    [
      'webhook.created',
      { url: 'hooks.example', events: ['article.created'], enabled: true, ordered: false },
    ],
    [
      'webhook.updated',
      {
        url: { from: 'hooks.example', to: 'other.example' },
        enabled: { from: true, to: false },
      },
    ],
    ['webhook.secret_rotated', { overlap_seconds: 60 }],
    ['webhook.deleted', {}],
  ])
  for (const entry of entries)
    expect(entry).toMatchObject({ actor_id: caller.actor.id, address: '127.0.0.1' })
  for (const hidden of [secret, rotated.secret, 't0ken'])
    expect(JSON.stringify(entries)).not.toContain(hidden)
})

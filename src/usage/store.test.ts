import { beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../test/support/caller'
import { passMonths } from '../../test/support/content/usage'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import type { Caller, Tenant } from '../caller'
import type { Tx } from '../db/connect'
import { createAdmit } from '../keys/admit'
import { createKey } from '../keys/store'
import { createWebhook, deleteWebhook, updateWebhook } from '../webhooks/endpoints/store'
import { recordEvent, recordTestEvent } from '../webhooks/events/record'
import { createCipher } from '../webhooks/signing/encryption'
import { getUsage, returnToQuota } from './store'

const cipher = createCipher(randomBytes(32))
let live: Caller
let testCaller: Caller

const { sql } = await useDatabase({ connections: 20 })
beforeEach(async () => {
  live = await createCaller(sql)
  testCaller = await createCaller(sql, 'test', live.accountId)
})

const begin = <T>(fn: (tx: Tx) => Promise<T>) => sql.begin(fn) as Promise<T>
const usage = () => getUsage(sql, live.accountId)
const usageRows = () => sql`SELECT FROM monthly_usage WHERE account_id = ${live.accountId}`
const pass = (months: number) => passMonths(sql, live.accountId, months)

const created = (tx: Tx, tenant: Tenant) =>
  recordEvent(tx, tenant, 'article.created', {
    article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
    project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
    keyword_id: null,
    title: 't',
    status: 'DRAFT',
  })
const deleted = (tx: Tx, tenant: Tenant) =>
  recordEvent(tx, tenant, 'article.deleted', {
    article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
    project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
  })
const webhook = (by: Caller) =>
  begin(tx =>
    createWebhook(tx, cipher, by, {
      url: 'https://hooks.example/',
      events: ['article.created', 'article.deleted'],
    }),
  )

describe('articles and deliveries', () => {
  test('each article and each delivery to an enabled webhook counts once', async () => {
    await webhook(live)
    await webhook(live)
    const disabled = await webhook(live)
    await begin(tx => updateWebhook(tx, cipher, live, disabled.id, { enabled: false }))
    const deletedWebhook = await webhook(live)
    await begin(tx => deleteWebhook(tx, live, deletedWebhook.id))
    await begin(tx => created(tx, live))
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 2 })
    await begin(tx => deleted(tx, live))
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 4 })
  })

  test('test mode, test deliveries and rolled back transactions count nowhere', async () => {
    const { id } = await webhook(live)
    await webhook(testCaller)
    await begin(tx => created(tx, testCaller))
    await begin(tx => recordTestEvent(tx, live, id))
    const undone = begin(async tx => {
      await created(tx, live)
      throw new Error('undone')
    })
    expect(await settled(undone)).toThrow('undone')
    expect(await usage()).toMatchObject({ articles: 0, deliveries: 0 })
    expect((await usageRows()).length).toBe(0)
  })

  test('they are counters, not row counts: deleted records stay counted', async () => {
    await webhook(live)
    await begin(tx => created(tx, live))
    await sql`DELETE FROM deliveries WHERE account_id = ${live.accountId}`
    await sql`DELETE FROM events WHERE account_id = ${live.accountId}`
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 1 })
  })

  test('concurrent writers of one account do not block each other, and no count is lost', async () => {
    await webhook(live)
    const open = Promise.withResolvers<void>()
    let counted = 0
    // Each transaction stays open until the last one has counted, so a blocked one would never end.
    const writers = Array.from({ length: 12 }, () =>
      begin(async tx => {
        await created(tx, live)
        await deleted(tx, live)
        await returnToQuota(tx, live, [new Date()])
        if (++counted === 12) open.resolve()
        await open.promise
      }),
    )
    await Promise.all(writers)
    expect(await usage()).toMatchObject({ articles: 12, deliveries: 24, generations: -12 })
    const before = (await usageRows()).length
    for (let i = 0; i < 50; i++) await begin(tx => created(tx, live))
    expect((await usageRows()).length).toBe(before)
  })

  test('a new month begins at zero', async () => {
    await webhook(live)
    await begin(tx => created(tx, live))
    await pass(1)
    expect(await usage()).toMatchObject({ articles: 0, deliveries: 0 })
    await begin(tx => created(tx, live))
    expect(await usage()).toMatchObject({ articles: 1, deliveries: 1 })
  })
})

describe('requests', () => {
  const admit = (value: string) => createAdmit(sql)(value)
  const newKey = (by: Caller, rate_limit = 100) => {
    const actor = { type: 'cli', id: 'tests', name: 'tests' } as const
    return begin(tx =>
      createKey(
        tx,
        { accountId: by.accountId, actor, address: null },
        { name: 'k', scopes: ['read'], mode: by.mode, rate_limit },
      ),
    )
  }
  const requests = async () => (await usage()).requests

  test('accepted requests of all live keys of the account count; refused requests and test keys do not', async () => {
    const [one, two] = [await newKey(live, 3), await newKey(live)]
    const test = await newKey(testCaller)
    expect(await requests()).toBe(0)
    for (let i = 0; i < 5; i++) await Promise.all([one, two, test].map(({ key }) => admit(key)))
    expect(await requests()).toBe(3 + 5)
  })

  test('only requests of this month count, also for a key that was idle at the end of the last month', async () => {
    const [busy, idle] = [await newKey(live), await newKey(live)]
    for (let i = 0; i < 4; i++) await Promise.all([admit(busy.key), admit(idle.key)])
    expect(await requests()).toBe(8)
    await pass(1)
    expect(await requests()).toBe(0)
    await Promise.all([admit(busy.key), admit(busy.key)])
    expect(await requests()).toBe(2)
    await pass(1)
    await pass(1)
    await admit(idle.key)
    await admit(busy.key)
    await admit(busy.key)
    expect(await requests()).toBe(3)
  })

  test('requests of a revoked key stay counted', async () => {
    const { id, key } = await newKey(live)
    await admit(key)
    await sql`UPDATE api_keys SET revoked_at = clock_timestamp() WHERE id = ${id}`
    await admit(key)
    expect(await requests()).toBe(1)
  })
})

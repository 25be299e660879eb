import { beforeAll, describe, expect, test } from 'bun:test'
import type { Tenant } from '../../src/caller'
import { listArticles } from '../../src/content/articles/store'
import { listGenerations } from '../../src/content/generations/store'
import { listKeywords } from '../../src/content/keywords/store'
import { listProjects } from '../../src/content/projects/store'
import { readAudit } from '../../src/dashboard/audit/store'
import type { Sql } from '../../src/db/connect'
import type { CreatedBetween } from '../../src/db/created-between'
import type { PageRequest, PageResult } from '../../src/db/page'
import { type IdPrefix, lowestIdAt } from '../../src/ids'
import { listAllDeliveries, listDeliveries } from '../../src/webhooks/deliveries/store'
import { useDatabase } from '../support/database'
import { rowsRead } from '../support/db/rows-read'

/** Rows of each table, one a minute. */
const ROWS = 5000
const MINUTE_MS = 60_000
const FIRST = Date.parse('2026-01-01T00:00:00Z')
const at = (n: number) => new Date(FIRST + n * MINUTE_MS)

const TENANT: Tenant = { accountId: 'acc_1', mode: 'live' }
const PROJECT = lowestIdAt('prj', at(0))
const WEBHOOK = lowestIdAt('wh', at(0))

const LIMIT = 10
/**
 * Rows of a page, one more that shows whether there is another, and those whose ids may be in the range because clocks
 * differ.
 */
const ROWS_MAX = LIMIT + 1 + 12

type Read = (
  sql: Sql,
  filter: CreatedBetween,
  page: PageRequest,
) => Promise<PageResult<{ id: string }>>

const lists: [name: string, table: string, prefix: IdPrefix, read: Read][] = [
  ['articles', 'articles', 'art', (sql, f, p) => listArticles(sql, TENANT, f, p)],
  ['generations', 'generations', 'gen', (sql, f, p) => listGenerations(sql, TENANT, f, p)],
  ['projects', 'projects', 'prj', (sql, f, p) => listProjects(sql, TENANT, f, p)],
  ['keywords', 'keywords', 'kw', (sql, f, p) => listKeywords(sql, TENANT, PROJECT, f, p)],
  [
    'deliveries of a webhook',
    'deliveries',
    'dlv',
    (sql, f, p) => listDeliveries(sql, TENANT, WEBHOOK, f, p),
  ],
]

const { sql } = await useDatabase({ connections: 1 })
beforeAll(() => fill(sql))

describe.each(['newest', 'middle', 'oldest'] as const)('filtered by time, the %s page', which => {
  const end = { newest: ROWS, middle: ROWS / 2, oldest: LIMIT }[which]

  test.each(lists)('of %s reads no more rows than it has', async (_, table, prefix, read) => {
    const filters: CreatedBetween[] = [
      { created_before: at(end).toISOString() },
      {
        created_after: at(end - LIMIT - 1).toISOString(),
        created_before: at(end).toISOString(),
      },
    ]
    for (const filter of filters) {
      const before = await rowsRead(sql, table)
      const { rows } = await read(sql, filter, { limit: LIMIT, before: null })
      expect((await rowsRead(sql, table)) - before).toBeLessThanOrEqual(ROWS_MAX)
      expect(rows.map(({ id }) => id)).toEqual(
        Array.from({ length: LIMIT }, (_, n) => lowestIdAt(prefix, at(end - 1 - n))),
      )
    }
  })

  test('of the audit history reads no more rows than it has', async () => {
    const created_before = at(end).toISOString()
    for (const filter of [
      { created_before },
      { created_before, created_after: at(end - LIMIT - 1).toISOString() },
    ]) {
      const before = await rowsRead(sql, 'audit_entries')
      const entries = await readAudit(sql, 'acc_1', filter, { before: null, limit: LIMIT })
      expect((await rowsRead(sql, 'audit_entries')) - before).toBeLessThanOrEqual(ROWS_MAX)
      expect(entries.map(entry => entry.at)).toEqual(
        Array.from({ length: LIMIT }, (_, n) => at(end - 1 - n).toISOString()),
      )
    }
  })
})

test('deliveries of all webhooks, and the reasons of their errors, are read from the range alone', async () => {
  const filter = {
    created_after: at(5).toISOString(),
    created_before: at(5 + LIMIT).toISOString(),
  }
  const before = await rowsRead(sql, 'deliveries')
  const { rows } = await listAllDeliveries(sql, TENANT, filter, { limit: LIMIT, before: null })
  expect(rows).toHaveLength(LIMIT - 1)
  // Once for the page and once for the reasons.
  expect((await rowsRead(sql, 'deliveries')) - before).toBeLessThanOrEqual(2 * ROWS_MAX)
})

test('a record is found by its created_at, to the millisecond, where the clock of its id was minutes off', async () => {
  const created = at(ROWS + 1000)
  for (const offMs of [-4 * MINUTE_MS, 0, 4 * MINUTE_MS]) {
    const id = lowestIdAt('prj', new Date(created.getTime() + offMs))
    await sql`
      INSERT INTO projects (id, account_id, mode, name, language, created_at)
      VALUES (${id}, 'acc_1', 'live', 'Off', 'en', ${created.toISOString()}::timestamptz + interval '0.4 ms')`
    const finds = async (filter: CreatedBetween) => {
      const { rows } = await listProjects(sql, TENANT, filter, { limit: 100, before: null })
      return rows.some(row => row.id === id)
    }
    const ms = (n: number) => new Date(created.getTime() + n).toISOString()
    expect(await finds({ created_after: ms(-1), created_before: ms(1) })).toBe(true)
    expect(await finds({ created_after: ms(0) })).toBe(false)
    expect(await finds({ created_before: ms(0) })).toBe(false)
    await sql`DELETE FROM projects WHERE id = ${id}`
  }
})

test('an entry of the audit history is found by its time where the clock of PostgreSQL was set back by minutes', async () => {
  const created = at(ROWS + 2000)
  const record = (time: Date, subject: string) => sql`
    INSERT INTO audit_entries (account_id, at, action, subject_id, actor_type, actor_id, actor_name)
    VALUES ('acc_2', ${time.toISOString()}, 'account.created', ${subject}, 'system', 'x', 'x')`
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_2', 'Two')`
  for (const offMs of [-4 * MINUTE_MS, 4 * MINUTE_MS, 0])
    await record(new Date(created.getTime() + offMs), String(offMs))
  const found = async (filter: CreatedBetween) =>
    (await readAudit(sql, 'acc_2', filter, { before: null, limit: 10 })).map(e => e.subject.id)
  const ms = (n: number) => new Date(created.getTime() + n).toISOString()
  expect(await found({ created_after: ms(-1), created_before: ms(1) })).toEqual(['0'])
  expect(await found({ created_after: ms(0) })).toEqual([String(4 * MINUTE_MS)])
  expect(await found({ created_before: ms(0) })).toEqual([String(-4 * MINUTE_MS)])
  expect(await found({ created_after: ms(10 * MINUTE_MS) })).toEqual([])
})

const fill = async (sql: Sql) => {
  const times = Array.from({ length: ROWS }, (_, n) => at(n))
  const rows = (prefix: IdPrefix) => sql`
    unnest(
      ${times.map(time => lowestIdAt(prefix, time))}::text[],
      ${times.map(time => time.toISOString())}::timestamptz[]
    ) AS row (id, at)`
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'One')`
  await sql`
    INSERT INTO projects (id, account_id, mode, name, language, created_at)
    SELECT id, 'acc_1', 'live', 'A project', 'en', at FROM ${rows('prj')}`
  await sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status, created_at)
    SELECT id, 'acc_1', 'live', ${PROJECT}, 'A', 'a', '', 'DRAFT', at FROM ${rows('art')}`
  await sql`
    INSERT INTO generations (id, account_id, mode, project_id, keyword, created_at)
    SELECT id, 'acc_1', 'live', ${PROJECT}, 'a', at FROM ${rows('gen')}`
  await sql`
    INSERT INTO keywords
      (id, account_id, mode, project_id, keyword, folded, tracked, country, device, created_at)
    SELECT id, 'acc_1', 'live', ${PROJECT}, id, id, true, 'US', 'desktop', at FROM ${rows('kw')}`
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    VALUES (${WEBHOOK}, 'acc_1', 'live', 'https://hooks.example/', '{article.created}', '')`
  await sql`
    INSERT INTO deliveries
      (id, account_id, mode, webhook_id, event_id, event_type, status, attempt_limit, created_at)
    SELECT id, 'acc_1', 'live', ${WEBHOOK}, 'evt_1', 'article.created', 'DELIVERED', 3, at
    FROM ${rows('dlv')}`
  await sql`
    INSERT INTO audit_entries (account_id, at, action, subject_id, actor_type, actor_id, actor_name)
    SELECT 'acc_1', at, 'api_key.updated', id, 'system', 'x', 'x' FROM ${rows('key')}`
  await sql`ANALYZE`
}

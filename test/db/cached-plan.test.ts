import { beforeAll, describe, expect, test } from 'bun:test'
import type { Tenant } from '../../src/caller'
import { listArticles } from '../../src/content/articles/store'
import { listGenerations } from '../../src/content/generations/store'
import { listProjects } from '../../src/content/projects/store'
import { connect, type Sql } from '../../src/db/connect'
import type { PageRequest, PageResult } from '../../src/db/page'
import { listWebhooks } from '../../src/webhooks/endpoints/store'
import { listEvents } from '../../src/webhooks/event-log/store'
import { useDatabase } from '../support/database'
import { rowsRead } from '../support/db/rows-read'

/** Rows of each table, numbered. Each hundredth, from the fiftieth on, belongs to another account. */
const ROWS = 5000
const isOfFew = (n: number) => n % 100 === 50
const MOST: Tenant = { accountId: 'acc_most', mode: 'live' }
const FEW: Tenant = { accountId: 'acc_few', mode: 'live' }

const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`

const LIMIT = 10
/** The first page, one in the middle, and the last. */
const CURSORS = [ROWS, 2500, 10]

type Read = (sql: Sql, tenant: Tenant, page: PageRequest) => Promise<PageResult<{ id: string }>>

const lists: [table: string, prefix: string, read: Read][] = [
  ['articles', 'art', (sql, t, p) => listArticles(sql, t, {}, p)],
  ['generations', 'gen', (sql, t, p) => listGenerations(sql, t, {}, p)],
  ['projects', 'prj', (sql, t, p) => listProjects(sql, t, {}, p)],
  ['events', 'evt', (sql, t, p) => listEvents(sql, t, {}, p)],
  ['webhooks', 'wh', (sql, t, p) => listWebhooks(sql, t, {}, p)],
]

const { sql, url: databaseUrl } = await useDatabase({ connections: 1 })
beforeAll(() => fill(sql))

describe.each(['never analyzed', 'analyzed'])('on tables that were %s', state => {
  beforeAll(async () => {
    await sql`SET plan_cache_mode = force_generic_plan`
    if (state === 'analyzed') await sql`ANALYZE`
  })

  test.each(lists)(
    'a page of %s by the plan for all values reads no other row',
    async (table, prefix, read) => {
      for (const tenant of [MOST, FEW])
        for (const cursor of CURSORS) {
          const before = await rowsRead(sql, table)
          const { rows } = await read(sql, tenant, { limit: LIMIT, before: idOf(prefix, cursor) })
          expect(rows.map(({ id }) => id)).toEqual(idsBelow(cursor, prefix, tenant))
          // One row more shows whether there is another page.
          expect((await rowsRead(sql, table)) - before).toBeLessThanOrEqual(LIMIT + 1)
        }
    },
  )

  test.each(lists)(
    '%s are planned for five calls of a connection, and then no more',
    async (_, __, read) => {
      const fresh = connect(databaseUrl, { name: 'test', max: 1 })
      for (const limit of [1, 5, 10, 20, 30, 50, 60, 80, 100])
        await read(fresh, MOST, { limit, before: null })
      const plans = await fresh`
        SELECT custom_plans, generic_plans FROM pg_prepared_statements
        WHERE ltrim(statement, E'\\n ') LIKE 'SELECT * FROM (%'`
      expect([...plans]).toEqual([{ custom_plans: 5, generic_plans: 4 }])
      await fresh.end()
    },
  )
})

/** The ids of the page below `cursor`. */
const idsBelow = (cursor: number, prefix: string, tenant: Tenant): string[] => {
  const ids: string[] = []
  for (let n = cursor - 1; n > 0 && ids.length < LIMIT; n--)
    if (isOfFew(n) === (tenant === FEW)) ids.push(idOf(prefix, n))
  return ids
}

const fill = async (sql: Sql) => {
  const id = (prefix: string) => sql`${`${prefix}_`} || lpad(n::text, 26, '0')`
  const account = sql`CASE WHEN n % 100 = 50 THEN 'acc_few' ELSE 'acc_most' END`
  const project = sql`'prj_' || lpad(CASE WHEN n % 100 = 50 THEN '50' ELSE '1' END, 26, '0')`
  const numbers = sql`generate_series(1, ${ROWS}::int) AS n`
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_most', 'Most'), ('acc_few', 'Few')`
  await sql`
    INSERT INTO projects (id, account_id, mode, name, language)
    SELECT ${id('prj')}, ${account}, 'live', 'A project', 'en' FROM ${numbers}`
  await sql`
    INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
    SELECT ${id('art')}, ${account}, 'live', ${project}, 'A', 'a', '', 'DRAFT'
    FROM ${numbers}`
  await sql`
    INSERT INTO generations (id, account_id, mode, project_id, keyword)
    SELECT ${id('gen')}, ${account}, 'live', ${project}, 'a' FROM ${numbers}`
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    SELECT ${id('wh')}, ${account}, 'live', 'https://hooks.example/', '{article.created}', ''
    FROM ${numbers}`
  await sql`
    INSERT INTO events (id, account_id, mode, type, body, created_at)
    SELECT ${id('evt')}, ${account}, 'live', 'article.created', '{"data":{}}', now() FROM ${numbers}`
}

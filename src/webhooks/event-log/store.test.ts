import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createCaller } from '../../../test/support/caller'
import { useDatabase } from '../../../test/support/database'
import { rowsRead } from '../../../test/support/db/rows-read'
import { createWebhook } from '../endpoints/store'
import { recordEvent, recordTestEvent } from '../events/record'
import { createCipher } from '../signing/encryption'
import { getEvent, listEvents } from './store'

const { sql } = await useDatabase({ connections: 1 })

test('a page of events reads only their own deliveries, by the index', async () => {
  const caller = await createCaller(sql)
  await sql.begin(async tx => {
    const url = 'https://hooks.example/'
    const events = ['article.deleted' as const]
    const webhook = await createWebhook(tx, createCipher(randomBytes(32)), caller, { url, events })
    const ids = { article_id: 'art_1', project_id: 'prj_1' }
    for (let n = 0; n < 50; n++) await recordEvent(tx, caller, 'article.deleted', ids)
    await recordTestEvent(tx, caller, webhook.id)
  })
  await sql`
    INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, test, status,
      attempt_limit, next_attempt_at, created_at)
    SELECT 'dlv_' || lpad(n::text, 26, '0'), account_id, mode, webhook_id, event_id, event_type, test,
      status, attempt_limit, next_attempt_at, created_at
    FROM (SELECT * FROM deliveries LIMIT 1) one, generate_series(1, 20000) n`
  await sql`ANALYZE deliveries, events`
  const before = await rowsRead(sql, 'deliveries')
  const { rows: listed } = await listEvents(sql, caller, {}, { limit: 50, before: null })
  expect(listed.map(one => one.test)).toEqual([true, ...Array(49).fill(false)])
  const [sample] = listed
  expect((await getEvent(sql, caller, sample?.id ?? '')).test).toBe(true)
  expect((await rowsRead(sql, 'deliveries')) - before).toBeLessThan(200)
})

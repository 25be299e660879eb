import { expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { outcome } from '../../../test/support/webhooks/attempt'
import { createSample } from '../../../test/support/webhooks/sample'
import { connect, type Sql } from '../../db/connect'
import { loadDeliveries } from '../dispatch/load'
import { failDelivery, loadDelivery, recordAttempts } from '../dispatch/store'
import { createClaimer } from './claimer'

const WEBHOOKS = 5_000
/** Blocks that a statement reads for one webhook at most: of the index, of its row, and of pages with room for the next version. */
const BLOCKS_MAX = 100

const { sql, url } = await useDatabase()
const sample = await createSample(sql, 'https://one.example/')

/** A connection keeps its plans until the table is analyzed, which can be long after it has grown. */
test('beside thousands of webhooks, no statement of a delivery reads others than its own', async () => {
  const early = connect(url, { name: 'early', max: 1 })
  await sql`ANALYZE webhooks`
  await readOf(early)
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    SELECT 'whk_' || lpad(n::text, 26, '0'), account_id, mode, url, '{article.deleted}', secret
    FROM (SELECT * FROM webhooks LIMIT 1) one, generate_series(1, ${WEBHOOKS}::int) n`
  const late = connect(url, { name: 'late', max: 1 })
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await sql`ANALYZE webhooks`
    for (const [name, worker] of Object.entries({ early, late }))
      for (const [what, { blocks, deliveries }] of Object.entries(await readOf(worker)))
        expect(blocks / deliveries, `${name}, ${what}`).toBeLessThan(BLOCKS_MAX)
  }
  await early.end()
  await late.end()
})

/** Blocks of `webhooks` that each statement reads on a connection, and for how many deliveries. */
const readOf = async (worker: Sql) => {
  const count = async () => {
    await worker`SELECT pg_stat_force_next_flush()`
    const [read] = await worker<[{ blocks: number }]>`
      SELECT (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int AS blocks
      FROM pg_statio_user_tables WHERE relname = 'webhooks'`
    return read.blocks
  }
  const read: Record<string, { blocks: number; deliveries: number }> = {}
  const measure = async (what: string, work: () => Promise<unknown>, deliveries = 1) => {
    const before = await count()
    await work()
    read[what] = { blocks: (await count()) - before, deliveries }
  }
  const lane = createClaimer(worker, { work: 'attempts', onFound: () => {} })
  // The scan at its start.
  await lane.claim(1)
  const ids = await sample.deliveries(5)
  const [delivered = '', retried = '', failed = '', recovered = '', ended = ''] = ids
  await sql`UPDATE deliveries SET attempt_limit = 1 WHERE id = ${failed}`
  const record = (id: string, error: string | null) => () =>
    recordAttempts(
      worker,
      [{ deliveryId: id, outcome: error === null ? outcome(200) : outcome(null, { error }) }],
      { inWorkflow: false },
    )
  const reason = 'stopped'
  await measure('claim', () => lane.claim(10), ids.length)
  await measure('load of many', () => loadDeliveries(worker, ids), ids.length)
  await measure('load of one', () => loadDelivery(worker, delivered))
  await measure('success', record(delivered, null))
  await measure('failure', record(retried, 'refused'))
  await measure('last failure', record(failed, 'refused'))
  await measure('success after it', record(recovered, null))
  await measure('end', () => failDelivery(worker, { deliveryId: ended, run: 1, reason }))
  await lane.stop()
  return read
}

import { expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { outcome, recordAttempt } from '../../../test/support/webhooks/attempt'
import { createSample } from '../../../test/support/webhooks/sample'
import { connect } from '../../db/connect'
import { failDelivery } from '../dispatch/store'
import { createClaimer } from './claimer'
import { KIND } from './entry'

const DELETED = 20_000

const { sql, url } = await useDatabase()
const sample = await createSample(sql, 'https://one.example/')

/**
 * Where all rows of the queue are dead, the planner believes that each of its indexes has one entry, and that reading all
 * of one is as cheap as looking up a row.
 */
test('while a snapshot keeps deleted rows of the queue, no statement of a delivery reads them', async () => {
  const [{ accountId }] = await sql<[{ accountId: string }]>`
    SELECT account_id AS "accountId" FROM webhooks WHERE id = ${sample.webhookId}`
  await sql.begin('isolation level repeatable read', async snapshot => {
    await snapshot`SELECT FROM accounts`
    await sql`
      INSERT INTO delivery_queue (account_id, webhook_id, kind, sequence, delivery_id)
      SELECT ${accountId}, ${sample.webhookId}, ${KIND.first}, 0, 'dlv_' || lpad(n::text, 26, '0')
      FROM generate_series(1, ${DELETED}::int) n`
    await sql`DELETE FROM delivery_queue`
    await sql`VACUUM ANALYZE delivery_queue`

    // One connection, so that it can flush its own statistics.
    const worker = connect(url, { name: 'worker', max: 1 })
    const blocksRead = async (work: () => Promise<unknown>) => {
      const count = async () => {
        await worker`SELECT pg_stat_force_next_flush()`
        const [read] = await worker<[{ blocks: number }]>`
          SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read AS blocks
          FROM pg_statio_user_tables WHERE relname = 'delivery_queue'`
        return read.blocks
      }
      const before = await count()
      await work()
      return (await count()) - before
    }
    const lane = createClaimer(worker, { work: 'attempts', onFound: () => {} })
    // The scan at its start, which reads them once.
    await lane.claim(1)
    const ids = await sample.deliveries(4)
    let claimed: Awaited<ReturnType<typeof lane.claim>> = []
    const read = {
      claim: await blocksRead(async () => {
        claimed = await lane.claim(10)
      }),
      release: await blocksRead(() => lane.release(claimed.slice(3))),
      success: await blocksRead(() => recordAttempt(worker, ids[0] ?? '', outcome(200))),
      failure: await blocksRead(() =>
        recordAttempt(worker, ids[1] ?? '', outcome(null, { error: 'refused' })),
      ),
      end: await blocksRead(() =>
        failDelivery(worker, { deliveryId: ids[2] ?? '', run: 1, reason: 'stopped' }),
      ),
    }
    await worker.end()
    expect(claimed).toHaveLength(4)
    for (const [what, blocks] of Object.entries(read))
      expect(blocks, what).toBeLessThan(DELETED / 100)
  })
})

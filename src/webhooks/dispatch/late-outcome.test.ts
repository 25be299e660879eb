import { describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { outcome, recordAttempt } from '../../../test/support/webhooks/attempt'
import { deliveryRow } from '../../../test/support/webhooks/delivery-row'
import { createSample } from '../../../test/support/webhooks/sample'
import { SLOW_RESPONSE_MS } from '../endpoints/slow-webhooks'
import { failDelivery, recordAttempts } from './store'

const { sql } = await useDatabase()
const sample = await createSample(sql, 'https://hooks.example.com/in?token=t')

const row = (id: string) => deliveryRow(sql, id)

describe('an outcome that a lane records late', () => {
  const late = async (id: string, httpStatus: number) => {
    await recordAttempts(sql, [{ deliveryId: id, outcome: outcome(httpStatus) }], {
      inWorkflow: false,
    })
    return row(id)
  }

  test('keeps the workflow that another lane has started or will start', async () => {
    const due = await sample.delivery()
    await late(due, 500)
    expect(await late(due, 200)).toMatchObject({ status: 'DELIVERED', without_workflow: false })
    const running = await sample.delivery()
    await recordAttempt(sql, running, outcome(500))
    expect(await late(running, 200)).toMatchObject({ status: 'DELIVERED', without_workflow: false })
  })

  test('does not change a FAILED delivery', async () => {
    const tried = await sample.delivery()
    for (let n = 0; n < 3; n++) await recordAttempt(sql, tried, outcome(500))
    expect(await late(tried, 200)).toMatchObject({ status: 'DELIVERED', without_workflow: false })
    const ended = await sample.delivery()
    await failDelivery(sql, { deliveryId: ended, run: 1, reason: 'over' }, { inWorkflow: false })
    expect(await late(ended, 200)).toMatchObject({ status: 'DELIVERED', without_workflow: true })
  })
})

test.each([
  ['quick', 12],
  ['slow', SLOW_RESPONSE_MS],
])(
  'recording an outcome that was %s does not wait for a lock on the mark of a slow webhook',
  async (_, durationMs) => {
    const id = await sample.delivery()
    await sql`INSERT INTO slow_webhooks (webhook_id) VALUES (${sample.webhookId})`
    const remover = await sql.reserve()
    await remover`BEGIN`
    await remover`DELETE FROM slow_webhooks`
    expect(await recordAttempt(sql, id, outcome(200, { durationMs }))).toMatchObject({
      status: 'DELIVERED',
    })
    await remover`COMMIT`
    remover.release()
  },
)

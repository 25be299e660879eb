import { describe, expect, test } from 'bun:test'
import type { Tenant } from '../../src/caller'
import type { Tx } from '../../src/db/connect'
import { newId } from '../../src/ids'
import { recordEvents } from '../../src/webhooks/events/record'
import { LANES, settingsOf } from '../support/lanes'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'
import { startSender } from '../support/webhooks/sender'

describe.each(LANES)('with a workflow %s', lane => {
  test.each([
    ['DELIVERED', 200, {}],
    ['FAILED', 500, {}],
    ['FAILED', 200, { enabled: false }],
  ] as const)(
    'when one of an ordered webhook is %s (%d, %o), the dispatchers are notified that the next may be sent',
    async (status, response, change) => {
      const receiver = startReceiver(() => new Response(null, { status: response }))
      const sender = await startSender(receiver.url, settingsOf(lane))
      const { sql, webhookId } = sender
      await sql`UPDATE webhooks SET ordered = true, events = '{article.deleted}'`
      const [{ account_id }] = await sql<[{ account_id: string }]>`SELECT account_id FROM webhooks`
      const tenant: Tenant = { accountId: account_id, mode: 'live' }
      await sql.begin(tx =>
        recordEvents(tx as Tx, [
          {
            tenant,
            type: 'article.deleted',
            data: { article_id: newId('art'), project_id: newId('prj') },
          },
        ]),
      )
      await sql`UPDATE deliveries SET attempt_limit = 1`
      await sql`UPDATE webhooks SET ${sql({ ordered: true, ...change })} WHERE id = ${webhookId}`

      let notified = 0
      const { unlisten } = await sql.listen('arden_due', () => notified++)
      notified = 0
      await sender.work()
      // Only recording the outcome notifies: the delivery itself was found by a sweep.
      await until('the dispatchers are notified', () => notified > 0, 20)
      expect([...(await sql`SELECT status FROM deliveries`)]).toEqual([{ status }])
      await unlisten()
      await sender.stop()
      receiver.stop()
    },
    60_000,
  )
})

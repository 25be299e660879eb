import { afterAll, beforeAll, describe, test } from 'bun:test'
import { type Arden, startArden } from '../support/arden'
import { lockWebhooks } from '../support/db/locks'
import { LANES, settingsOf } from '../support/lanes'
import { type Receiver, startReceiver } from '../support/receiver'
import { until } from '../support/until'

describe.each(LANES)('with ARDEN_WORKFLOWS=%s', lane => {
  let arden: Arden
  let receiver: Receiver
  const response = Promise.withResolvers<void>()
  beforeAll(async () => {
    receiver = startReceiver(async ({ path }) => {
      await response.promise
      return new Response('', { status: path === '/fails' ? 500 : 200 })
    })
    arden = await startArden({ serve: true, worker: true }, settingsOf(lane))
  })
  afterAll(async () => {
    await arden.stop()
    receiver.stop()
  })

  /** An account with a webhook for that path, and what makes events for it. */
  const writer = async (path: string) => {
    const api = await arden.client({ accountId: await arden.newAccount() })
    const hook = { url: receiver.url + path, events: ['article.created'] }
    const { id } = (await api.post('/webhooks', hook)).body.data
    const { id: project_id } = (await api.post('/projects', { name: 'Blog' })).body.data
    const write = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => api.post('/articles', { project_id, title: 'New' })),
      )
    return { id, write }
  }
  const count = async (id: string, status: string) => {
    const [row] = await arden.sql<[{ n: number }]>`
      SELECT count(*) AS n FROM deliveries WHERE webhook_id = ${id} AND status = ${status}`
    return row.n
  }

  test('webhooks that are locked while they begin or stop failing delay no outcome, not even their own', async () => {
    const [begins, ends, free] = [await writer('/fails'), await writer('/'), await writer('/')]
    await arden.sql`UPDATE webhooks SET failing_since = now() WHERE id = ${ends.id}`
    // More of each than there are statements under way.
    for (const one of [begins, ends, free]) await one.write(5)
    await until('all are under way', () => receiver.received.length === 15)
    await arden.sql`UPDATE deliveries SET attempt_limit = 1`
    const release = await lockWebhooks(arden.sql, begins.id, ends.id)
    response.resolve()
    try {
      // An outcome that waited for a locked webhook would be recorded only when the lock is released.
      await until('all are recorded', async () => {
        const recorded = [
          await count(begins.id, 'FAILED'),
          await count(ends.id, 'DELIVERED'),
          await count(free.id, 'DELIVERED'),
        ]
        return recorded.every(n => n === 5)
      })
    } finally {
      await release()
    }
  })
})

import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { createLog } from '../../src/log'
import { start } from '../../src/start'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import { makeArticles, subscribe } from '../support/webhooks/webhooks'

// Contract 5.8. With a workflow for each delivery, and with many kills: worker-kill.slow.test.ts, faults.slow.test.ts.

test('an event is delivered although serve is killed after the commit and a worker while it sends: again, with the same delivery id', async () => {
  const arden = await useArden({}, { ARDEN_WORKFLOWS: 'on-retry' })
  const receiver = useReceiver((_, count) =>
    count === 1 ? new Promise<Response>(() => {}) : new Response('ok'),
  )
  const serve = await spawnArden('serve', arden.env)
  const live = client(serve.url, (await arden.key()).key)
  await subscribe(live, receiver.url)
  await makeArticles(live, 1)
  await serve.kill('SIGKILL')

  const killed = await spawnArden('worker', arden.env)
  await until('the first request is in progress', () => receiver.received.length === 1)
  await killed.kill('SIGKILL')
  // As if its lease had ended.
  const ended =
    await arden.sql`UPDATE claimers SET until = clock_timestamp() WHERE work = 'attempts' RETURNING id`
  expect(ended).toHaveLength(1)

  const config = readConfig(arden.env)
  const worker = await start(config, { worker: true }, createLog(config))
  const delivery = await until('it is DELIVERED', async () => {
    const [row] = await arden.sql`SELECT id, status, attempt_count FROM deliveries`
    return row?.status === 'DELIVERED' && row
  })
  const [first, second, ...more] = receiver.received
  expect(more).toEqual([])
  expect(second?.headers['x-webhook-delivery-id']).toBe(delivery.id)
  expect(first?.headers['x-webhook-delivery-id']).toBe(delivery.id)
  expect(second?.body).toBe(first?.body ?? '')
  // What was sent but not recorded is no attempt (contract 5.4).
  expect(delivery.attempt_count).toBe(1)
  await worker.stop()
})

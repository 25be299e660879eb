import { describe, expect, test } from 'bun:test'
import { startProxy } from '../../../test/support/network/proxy'
import { until } from '../../../test/support/until'
import { useLane } from '../../../test/support/webhooks/lane'
import { sendDeps } from '../../../test/support/webhooks/send-deps'
import { connect } from '../../db/connect'
import { runLane } from './lane'

const { sender, work, deliver, requests, arrived, delivered, inProgress } = await useLane()

test('a slow request keeps its lease, and no other lane sends it', async () => {
  await work()
  const other = await sender.work()
  const response = Promise.withResolvers<Response>()
  const { id } = await deliver(() => response.promise)
  await arrived(id)
  await Bun.sleep(10_000) // Longer than the lease.
  expect(requests(id)).toHaveLength(1)
  response.resolve(new Response('late'))
  expect(await delivered(id)).toMatchObject({ attempt_count: 1, response_body: 'late' })
  await other.stop()
})

describe('an infrastructure error', () => {
  test('while recording loses nothing: the outcome is recorded later and not sent again', async () => {
    await work()
    await sender.sql`ALTER TABLE attempts RENAME TO attempts_away`
    const { id } = await deliver()
    await arrived(id)
    await Bun.sleep(7_000) // Longer than recording is tried in one go.
    await sender.sql`ALTER TABLE attempts_away RENAME TO attempts`
    expect(await delivered(id)).toMatchObject({ attempt_count: 1, response_body: 'ok' })
    expect(requests(id)).toHaveLength(1)
  })
})

test('with nothing in flight it stops within seconds while PostgreSQL hangs', async () => {
  const proxy = startProxy(sender.databaseUrl)
  const sql = connect(proxy.url, { name: 'test' })
  const stopping = new AbortController()
  const lane = runLane(
    {
      ...sendDeps(sql, sender.cipher, { inWorkflow: false }),
      maxInFlight: 10,
      listen: sender.waker.listen,
    },
    31_000,
    stopping.signal,
  )
  await delivered((await deliver()).id)
  await until('nothing is in progress', async () => (await inProgress()).length === 0)
  proxy.hang()
  const began = performance.now()
  stopping.abort()
  await Promise.race([lane, Bun.sleep(20_000)])
  expect(performance.now() - began).toBeLessThan(15_000)
  await sql.end({ timeout: 1 })
  proxy.stop()
})

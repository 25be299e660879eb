import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { useKillableTemporal } from '../support/operations/killable-temporal'
import { useReceiver } from '../support/receiver'
import { LATE_MS, until } from '../support/until'

/** After an outage each part tries again at most this much later, in seconds. */
const HEALED_WITHIN_S = 30
/** For one request while Temporal is unavailable, in ms: the API does not call Temporal. */
const NORMAL_MS = 2_000

let respond: (count: number) => Response = () => new Response('ok')
const receiver = useReceiver((_, count) => respond(count))

const temporal = await useKillableTemporal()
const arden = await useArden({ serve: true, worker: true }, { TEMPORAL_ADDRESS: temporal.address })
const live = await arden.client()
await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
const project_id = (await live.post('/projects', { name: 'p' })).body.data.id

/** Creates an article. Returns the id of its delivery. */
const change = async (): Promise<string> => {
  const { status, body } = await live.post('/articles', { project_id, title: 't' })
  expect(status).toBe(201)
  const [row] = await arden.sql<[{ id: string }]>`
    SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id
    WHERE e.body::jsonb #>> '{data,article_id}' = ${body.data.id}`
  return row.id
}
const row = async (id: string) => {
  const [found] = await arden.sql`SELECT * FROM deliveries WHERE id = ${id}`
  return found ?? {}
}
const reaches = (id: string, status: string, seconds?: number) =>
  until(`${id} is ${status}`, async () => (await row(id)).status === status, seconds)
const requests = (id: string) =>
  receiver.received.filter(one => one.headers['x-webhook-delivery-id'] === id)

test('while Temporal is unavailable the API responds normally, and all is delivered when it is back, without a restart', async () => {
  await reaches(await change(), 'DELIVERED')
  await temporal.kill()
  const ids: string[] = []
  for (let n = 0; n < 20; n++) {
    const began = performance.now()
    ids.push(await change())
    expect(performance.now() - began).toBeLessThan(NORMAL_MS + LATE_MS)
  }
  expect((await fetch(`${arden.url}/readyz`)).status).toBe(200)
  expect(await row(ids[0] ?? '')).toMatchObject({ status: 'RETRYING', attempt_count: 0 })
  await until('its record says why it waits', async () => {
    const { progress } = (await live.get(`/deliveries/${ids[0]}`)).body.data
    return progress === 'temporal_away'
  })

  await temporal.start('first')
  for (const id of ids) await reaches(id, 'DELIVERED', HEALED_WITHIN_S)
  for (const id of ids) expect(requests(id)).toHaveLength(1)
})

test("Temporal's store lost: what is not final starts again, with the attempts that are left and nothing sent twice", async () => {
  respond = () => new Response('no', { status: 500 })
  const attempted = async (id: string, times: number) =>
    until(`${times} failed`, async () => (await row(id)).attempt_count === times)
  const oneLeft = await change()
  await attempted(oneLeft, 2)
  const twoLeft = await change()
  await attempted(twoLeft, 1)

  await temporal.kill()
  await temporal.start('second')
  respond = count => new Response('', { status: count === 2 ? 200 : 500 })
  // As if the time of the sweep had come, and that of the next attempts.
  await arden.sql`
    UPDATE deliveries SET next_attempt_at = clock_timestamp() WHERE status = 'RETRYING'`
  await arden.sql`UPDATE delivery_queue SET check_at = clock_timestamp()`
  await reaches(twoLeft, 'DELIVERED', HEALED_WITHIN_S)
  await reaches(oneLeft, 'FAILED', HEALED_WITHIN_S)
  for (const [id, attempts] of [
    [twoLeft, 2],
    [oneLeft, 3],
  ] as const) {
    expect(await row(id)).toMatchObject({ run: 2, attempt_count: attempts })
    expect(requests(id)).toHaveLength(attempts)
  }
})

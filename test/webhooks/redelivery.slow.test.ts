import { describe, expect, test } from 'bun:test'
import { startArden, useArden } from '../support/arden'
import { LANES, settingsOf } from '../support/lanes'
import { spawnArden } from '../support/process'
import { startReceiver, useReceiver } from '../support/receiver'
import { useTemporal } from '../support/temporal'
import { until } from '../support/until'
import { expectWaits } from '../support/webhooks/attempt'
import {
  deliveriesOf,
  finalDeliveries,
  type Hook,
  makeArticles,
  oneAttemptEach,
  subscribe,
} from '../support/webhooks/webhooks'

// Contract 5.13.

const receiver = useReceiver()

test.each(LANES)(
  'with a workflow %s, a bulk redelivery is sent although the process that accepted it was killed',
  async lane => {
    const apart = await startArden({ serve: true }, settingsOf(lane))
    const as = await apart.client()
    const hook = await subscribe(as, receiver.url)
    await as.patch(`/webhooks/${hook.id}`, { enabled: false })
    await makeArticles(as, 3)
    await as.patch(`/webhooks/${hook.id}`, { enabled: true })
    const serve = await spawnArden('serve', apart.env)
    const response = await fetch(`${serve.url}/api/public/v1/webhooks/${hook.id}/redeliver`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${(await apart.key()).key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ status: 'FAILED' }),
    })
    expect(await response.json()).toEqual({ data: { count: 3 } })
    await serve.kill('SIGKILL')
    const worker = await spawnArden('worker', apart.env)
    const all = await finalDeliveries(as, hook, 3)
    expect(all.map(one => one.status)).toEqual(Array(3).fill('DELIVERED'))
    await worker.kill('SIGTERM')
    await apart.stop()
  },
)

describe.each(LANES)('with a workflow %s', async lane => {
  const arden = await useArden({ serve: true, worker: true }, settingsOf(lane))
  const live = await arden.client()
  const temporal = await useTemporal(arden.env)
  const redeliver = (hook: Hook, id: string) =>
    live.post(`/webhooks/${hook.id}/deliveries/${id}/redeliver`)
  const detail = async (hook: Hook, id: string) =>
    (await live.get(`/webhooks/${hook.id}/deliveries/${id}`)).body.data

  test('a redelivered run has three attempts, 5 s and 25 s apart, then it is FAILED; 409 meanwhile', async () => {
    const failing = startReceiver(() => new Response('no', { status: 500 }))
    const hook = await subscribe(live, failing.url)
    const [{ id }] = await oneAttemptEach(arden, live, hook)
    expect((await redeliver(hook, id)).status).toBe(202)
    await until(
      'its first attempt failed',
      async () => (await detail(hook, id)).attempt_count === 2,
    )
    expect((await redeliver(hook, id)).body.error).toBe('CONFLICT')
    const last = await until(
      'it is FAILED',
      async () => {
        const now = await detail(hook, id)
        return now.status === 'FAILED' ? now : undefined
      },
      80,
    )
    expect(last.attempts.map((one: { number: number }) => one.number)).toEqual([1, 2, 3, 4])
    expect(await deliveriesOf(live, hook)).toHaveLength(1)
    const workflow = temporal.client.workflow.getHandle(last.workflow_id)
    await expectWaits(arden.sql, id, [5_000, 25_000], workflow)
    failing.stop()
  })
})

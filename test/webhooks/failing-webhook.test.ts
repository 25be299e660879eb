import { describe, expect, test } from 'bun:test'
import { listenForChanges } from '../../src/notifications/changes'
import type { ChangedTopic } from '../../src/notifications/topics'
import { startArden, useArden } from '../support/arden'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import {
  finalDeliveries,
  type Hook,
  makeArticles,
  oneAttemptEach,
  subscribe,
} from '../support/webhooks/webhooks'

// A webhook whose every delivery failed for five days is disabled.

let status = 500
const receiver = useReceiver(() => new Response('', { status }))
const arden = await useArden({ serve: true, worker: true })
const live = await arden.client()

const record = async (hook: Hook) => (await live.get(`/webhooks/${hook.id}`)).body.data
const since = async (hook: Hook): Promise<Date | null> =>
  (await arden.sql`SELECT failing_since FROM webhooks WHERE id = ${hook.id}`)[0]?.failing_since
const daysPass = (hook: Hook, days: number) => arden.sql`
  UPDATE webhooks SET failing_since = failing_since - make_interval(days => ${days})
  WHERE id = ${hook.id}`
const entries = (hook: Hook) => arden.sql`
  SELECT actor_type, actor_name, address, changes FROM audit_entries
  WHERE subject_id = ${hook.id} AND action = 'webhook.disabled'`

/** A delivery that fails, without the pause that would end the failing. */
const fails = async (hook: Hook, total: number) => {
  await arden.sql`UPDATE deployment SET paused_at = now()`
  await makeArticles(live, 1)
  await arden.sql`UPDATE deliveries SET attempt_limit = 1 WHERE status = 'RETRYING'`
  await arden.sql`UPDATE deployment SET paused_at = NULL`
  return finalDeliveries(live, hook, total)
}

/** A webhook whose only delivery so far has failed. */
const failed = async () => {
  status = 500
  const hook = await subscribe(live, receiver.url)
  await oneAttemptEach(arden, live, hook)
  return hook
}

describe('a webhook that fails', () => {
  test('for five days, every delivery: disabled with its reason, an audit entry, and what comes is kept', async () => {
    const hook = await failed()
    expect(await since(hook)).not.toBeNull()
    await daysPass(hook, 5)
    expect((await record(hook)).enabled).toBe(true)
    const changed = new Set<ChangedTopic>()
    await listenForChanges(arden.sql, ({ topics }) => {
      for (const topic of topics) changed.add(topic)
    })
    await fails(hook, 2)
    const disabled = await until('it is disabled', async () => {
      const now = await record(hook)
      return now.enabled ? undefined : now
    })
    expect(disabled.disabled_reason).toBe('every delivery failed for 5 days')
    // Open pages of the webhook show it.
    await until('it is notified', () => changed.has('webhooks') && changed.has('audit'))
    expect([...(await entries(hook))]).toEqual([
      {
        actor_type: 'system',
        actor_name: 'Arden',
        address: null,
        changes: {
          reason: 'every delivery failed for 5 days',
          failing_since: (await since(hook))?.toISOString(),
        },
      },
    ])
    await makeArticles(live, 1)
    const [kept] = await finalDeliveries(live, hook, 3)
    expect(kept).toMatchObject({ status: 'FAILED', error: 'the webhook is disabled' })

    // Enabled again, it may fail again before it is disabled again.
    await live.patch(`/webhooks/${hook.id}`, { enabled: true })
    expect(await since(hook)).toBeNull()
    expect(await record(hook)).toMatchObject({ enabled: true, disabled_reason: null })
    await live.delete(`/webhooks/${hook.id}`)
  })

  test('for less than five days stays enabled', async () => {
    const hook = await failed()
    await daysPass(hook, 4)
    const first = await since(hook)
    await fails(hook, 2)
    expect(await since(hook)).toEqual(first)
    expect((await record(hook)).enabled).toBe(true)
    await live.delete(`/webhooks/${hook.id}`)
  })

  test('and delivers once in between, starts the count again', async () => {
    const hook = await failed()
    await daysPass(hook, 5)
    status = 200
    await makeArticles(live, 1)
    await finalDeliveries(live, hook, 2)
    expect(await since(hook)).toBeNull()
    status = 500
    await fails(hook, 3)
    expect((await record(hook)).enabled).toBe(true)
    expect(await entries(hook)).toHaveLength(0)
    await live.delete(`/webhooks/${hook.id}`)
  })

  test('has not failed any more at another URL, nor while it was paused', async () => {
    const [moved, paused] = [await failed(), await failed()]
    await live.patch(`/webhooks/${moved.id}`, { url: `${receiver.url}/new` })
    await live.post(`/webhooks/${paused.id}/pause`)
    await live.post(`/webhooks/${paused.id}/resume`)
    expect([await since(moved), await since(paused)]).toEqual([null, null])
    for (const hook of [moved, paused]) await live.delete(`/webhooks/${hook.id}`)
  })
})

test('one that never fails is not written to at its deliveries', async () => {
  status = 200
  const hook = await subscribe(live, receiver.url)
  const version = async () =>
    (await arden.sql`SELECT xmin::text FROM webhooks WHERE id = ${hook.id}`)[0]?.xmin
  const before = await version()
  await makeArticles(live, 5)
  await finalDeliveries(live, hook, 5)
  expect(await version()).toBe(before)
})

test('with ARDEN_DISABLE_AFTER_DAYS=0 none is disabled', async () => {
  const never = await startArden({ serve: true, worker: true }, { ARDEN_DISABLE_AFTER_DAYS: '0' })
  const as = await never.client()
  status = 500
  const hook = await subscribe(as, receiver.url)
  await oneAttemptEach(never, as, hook)
  await never.sql`UPDATE webhooks SET failing_since = now() - interval '100 days'`
  await never.sql`UPDATE deployment SET paused_at = now()`
  await makeArticles(as, 1)
  await never.sql`UPDATE deliveries SET attempt_limit = 1 WHERE status = 'RETRYING'`
  await never.sql`UPDATE deployment SET paused_at = NULL`
  await finalDeliveries(as, hook, 2)
  // The next delivery comes after whatever the failure of the one before might have done.
  status = 200
  await makeArticles(as, 1)
  const [last] = await finalDeliveries(as, hook, 3)
  expect(last).toMatchObject({ status: 'DELIVERED' })
  expect((await as.get(`/webhooks/${hook.id}`)).body.data.enabled).toBe(true)
  await never.stop()
})

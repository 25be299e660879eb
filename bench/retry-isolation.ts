import { newId } from '../src/ids'
import { createWebhook } from '../src/webhooks/endpoints/store'
import { enqueue } from '../src/webhooks/queue/changes'
import { FIRST_RETRY_DELAY_MS, MAX_ATTEMPTS } from '../src/webhooks/retry-schedule'
import { until } from '../test/support/until'
import type { Bench } from './bench'
import type { Child } from './parts/child'
import { createDeployment, type Deployment } from './parts/deployment'
import { commitEvents } from './parts/events'
import type { Figure } from './parts/figure'
import { atMost } from './parts/goal'
import { median, percentile } from './parts/rounds'
import type { RetryReceiverStatus } from './processes/retry-receiver'

/** Failing deliveries a second of the other tenant, and how many of them are committed together. */
const FAILING_PER_SECOND = 1_000
const FAILING_AT_ONCE = 50
/** Deliveries a second of the healthy tenant. Each fails once. */
const PER_SECOND = 10
const LATE_MS = 500

/** A tenant whose endpoint refuses every request must not delay the retries of another (contract 5.3). */
export const retryIsolation: Bench = {
  name: 'retry-isolation',
  product: `how late the second attempt of a delivery is, while ${FAILING_PER_SECOND.toLocaleString('en')} deliveries a second of another tenant fail`,
  baseline: 'itself alone',
  run: async ({ servers, rounds, seconds }) => {
    const figures: Figure[] = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'late', RetryReceiverStatus>('retry-receiver')
      await deployment.webhook((await receiver.run('late')).url)
      await deployment.worker(lane)
      const p95 = () => measureLateness(deployment, receiver, seconds)
      await p95()
      const alone: number[] = []
      for (let n = 0; n < rounds; n++) alone.push(await p95())
      const failing = await startFailing(deployment)
      const beside: number[] = []
      for (let n = 0; n < rounds; n++) beside.push(await p95())
      const { created, attempted, seconds: took } = await failing.stop()
      const perSecond = (count: number) => Math.round(count / took).toLocaleString('en')
      figures.push({
        variant: `${lane}, p95`,
        unit: 'ms',
        baseline: median(alone),
        product: median(beside),
        goal: atMost(LATE_MS),
        cpu: {},
        note: `${perSecond(created)} a second of the other tenant, ${perSecond(attempted)} attempted`,
      })
    }
    return figures
  },
}

const measureLateness = async (
  deployment: Deployment,
  receiver: Child<'late', RetryReceiverStatus>,
  seconds: number,
): Promise<number> => {
  const before = (await receiver.run('late')).late.length
  const count = Math.ceil(PER_SECOND * seconds)
  for (let n = 0; n < count; n++) {
    await commitEvents(deployment, 1)
    // Random pauses, to avoid running in step with a timer.
    await Bun.sleep((1000 / PER_SECOND) * (0.5 + Math.random()))
  }
  await Bun.sleep(FIRST_RETRY_DELAY_MS)
  const retried = async () => {
    const late = (await receiver.run('late')).late.slice(before)
    return late.length >= count ? late : undefined
  }
  const late = await until('all are tried again', retried, 600)
  return percentile(
    late.toSorted((a, b) => a - b),
    0.95,
  )
}

/** Creates deliveries of another tenant, whose endpoint refuses connections, until it is stopped. */
const startFailing = async ({ sql, cipher, caller }: Deployment) => {
  const tenant = { ...caller, accountId: newId('acc') }
  const eventId = newId('evt')
  const webhookId = await sql.begin(async tx => {
    await tx`INSERT INTO accounts (id, name) VALUES (${tenant.accountId}, 'failing tenant')`
    await tx`
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${eventId}, ${tenant.accountId}, ${tenant.mode}, 'article.created', '{}', now())`
    const url = 'http://127.0.0.1:1/hook'
    return (await createWebhook(tx, cipher, tenant, { url, events: ['article.created'] })).id
  })
  let created = 0
  const began = performance.now()
  const createSome = async () => {
    const ids = Array.from({ length: FAILING_AT_ONCE }, () => newId('dlv')).join()
    const isNew = sql`id = ANY (string_to_array(${ids}, ','))`
    await sql.begin(async tx => {
      await tx`
        INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status,
          attempt_limit, next_attempt_at, created_at)
        SELECT id, ${tenant.accountId}, ${tenant.mode}, ${webhookId}, ${eventId}, 'article.created', 'RETRYING',
          ${MAX_ATTEMPTS}::int, now(), now() FROM unnest(string_to_array(${ids}, ',')) id`
      await tx`${enqueue(tx, tx`deliveries WHERE ${isNew}`)}`
    })
    await sql.notify('arden_due', '')
  }
  const stop = new AbortController()
  const creating = (async () => {
    while (!stop.signal.aborted) {
      await createSome()
      created += FAILING_AT_ONCE
      const nextAt = began + (created / FAILING_PER_SECOND) * 1000
      await Bun.sleep(Math.max(0, nextAt - performance.now()))
    }
  })()
  return {
    stop: async () => {
      stop.abort()
      await creating
      const seconds = (performance.now() - began) / 1000
      const [{ attempted }] = await sql<[{ attempted: number }]>`
        SELECT count(*)::int AS attempted FROM deliveries WHERE webhook_id = ${webhookId} AND attempt_count > 0`
      return { created, attempted, seconds }
    },
  }
}

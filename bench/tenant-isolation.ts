import type { Caller } from '../src/caller'
import { newId } from '../src/ids'
import { createWebhook } from '../src/webhooks/endpoints/store'
import { enqueue } from '../src/webhooks/queue/changes'
import { MAX_ATTEMPTS } from '../src/webhooks/retry-schedule'
import { until } from '../test/support/until'
import type { Bench } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import type { Figure } from './parts/figure'
import { atMost } from './parts/goal'
import { median, percentile } from './parts/rounds'
import type { ProberJob, ProberResult } from './processes/prober'
import type { ReceiverStatus } from './processes/receiver'

const ENDPOINTS = 200
/** Deliveries of each hanging endpoint. */
const BACKLOG = 25
const PER_SECOND = 20
const P99_MS = 1_000

/**
 * A hanging receiver must not delay the deliveries of another account (docs/architecture.md, "Tenant
 * isolation").
 */
export const tenantIsolation: Bench = {
  name: 'tenant-isolation',
  product: `request to webhook at ${PER_SECOND} a second, while ${ENDPOINTS} endpoints with ${ENDPOINTS * BACKLOG} deliveries never respond`,
  baseline: 'itself alone',
  run: async ({ servers, rounds, seconds, amount }) => {
    const endpoints = amount(ENDPOINTS)
    const figures: Figure[] = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'received', ReceiverStatus>('receiver')
      const prober = deployment.child<ProberJob, ProberResult>('prober')
      await deployment.webhook((await prober.run('where')).receiverUrl)
      const { url } = await deployment.serve()
      await deployment.worker(lane)
      const [key = ''] = await deployment.keys(1)
      const p99 = async () => {
        const { latencies } = await prober.run({
          url: `${url}/api/public/v1/articles`,
          key,
          projectId: deployment.projectId,
          perSecond: PER_SECOND,
          seconds,
        })
        return percentile(latencies, 0.99)
      }
      await p99()
      const alone: number[] = []
      for (let n = 0; n < rounds; n++) alone.push(await p99())
      const { silentUrl } = await receiver.run('received')
      await createHangingDeliveries(deployment, silentUrl, endpoints)
      await until(
        'they are hanging',
        async () => (await receiver.run('received')).silent >= endpoints / 2,
      )
      const beside: number[] = []
      for (let n = 0; n < rounds; n++) beside.push(await p99())
      figures.push({
        variant: `${lane}, p99`,
        unit: 'ms',
        baseline: median(alone),
        product: median(beside),
        goal: atMost(P99_MS),
        cpu: {},
      })
    }
    return figures
  },
}

/** Creates deliveries of another account to an endpoint that never responds. */
const createHangingDeliveries = async (
  { sql, cipher, caller }: Deployment,
  url: string,
  endpoints: number,
): Promise<void> => {
  const accountId = newId('acc')
  const otherTenant: Caller = { ...caller, accountId }
  const eventId = newId('evt')
  await sql.begin(async tx => {
    await tx`INSERT INTO accounts (id, name) VALUES (${accountId}, 'other tenant')`
    for (let n = 0; n < endpoints; n++)
      await createWebhook(tx, cipher, otherTenant, { url, events: ['article.created'] })
    await tx`
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${eventId}, ${accountId}, ${otherTenant.mode}, 'article.created', '{}', now())`
    await tx`
      INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status,
        attempt_limit, next_attempt_at, created_at)
      SELECT 'dlv_' || substr(${eventId}, 5, 14) || substr(md5(w.id || n), 1, 12), ${accountId},
        ${otherTenant.mode}, w.id, ${eventId}, 'article.created', 'RETRYING', ${MAX_ATTEMPTS}::int, now(), now()
      FROM webhooks w CROSS JOIN generate_series(1, ${BACKLOG}) AS n
      WHERE w.account_id = ${accountId}`
    await tx`${enqueue(tx, tx`deliveries WHERE event_id = ${eventId}`)}`
  })
}

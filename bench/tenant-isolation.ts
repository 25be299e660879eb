import type { Caller } from '../src/caller'
import { newId } from '../src/ids'
import { createWebhook } from '../src/webhooks/endpoints/store'
import { MAX_ATTEMPTS } from '../src/webhooks/retry-schedule'
import { until } from '../test/support/until'
import type { Bench } from './bench'
import type { Figure } from './parts/figure'
import { atMost } from './parts/mark'
import { createStage, type Stage } from './parts/stage'
import { median, percentile } from './parts/turns'
import type { ProberAnswer, ProberJob } from './processes/prober'
import type { ReceiverAnswer } from './processes/receiver'

const ENDPOINTS = 200
/** For each of the endpoints that hang. */
const BACKLOG = 25
const PER_SECOND = 20
const P99_MS = 1_000

/** A dead endpoint must not delay another account's deliveries (docs/architecture.md, "Tenant isolation"). */
export const neighbours: Bench = {
  name: 'neighbours',
  product: `request to webhook at ${PER_SECOND} a second, while ${ENDPOINTS} endpoints with ${ENDPOINTS * BACKLOG} deliveries never answer`,
  floor: 'itself alone',
  run: async ({ servers, rounds, seconds, amount }) => {
    const endpoints = amount(ENDPOINTS)
    const figures: Figure[] = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using stage = await createStage(servers)
      const receiver = stage.child<'received', ReceiverAnswer>('receiver')
      const prober = stage.child<ProberJob, ProberAnswer>('prober')
      await stage.webhook((await prober.ask('where')).receiverUrl)
      const { url } = await stage.serve()
      await stage.worker(lane)
      const [key = ''] = await stage.keys(1)
      const p99 = async () => {
        const { latencies } = await prober.ask({
          url: `${url}/api/public/v1/articles`,
          key,
          projectId: stage.projectId,
          perSecond: PER_SECOND,
          seconds,
        })
        return percentile(latencies, 0.99)
      }
      await p99()
      const alone: number[] = []
      for (let n = 0; n < rounds; n++) alone.push(await p99())
      const { silentUrl } = await receiver.ask('received')
      await hangNeighbours(stage, silentUrl, endpoints)
      await until('they hang', async () => (await receiver.ask('received')).silent >= endpoints / 2)
      const beside: number[] = []
      for (let n = 0; n < rounds; n++) beside.push(await p99())
      figures.push({
        variant: `${lane}, p99`,
        unit: 'ms',
        floor: median(alone),
        product: median(beside),
        mark: atMost(P99_MS),
        cpu: {},
      })
    }
    return figures
  },
}

/** Of another account, all at once. */
const hangNeighbours = async (
  { sql, cipher, caller }: Stage,
  url: string,
  endpoints: number,
): Promise<void> => {
  const accountId = newId('acc')
  const neighbour: Caller = { ...caller, accountId }
  const eventId = newId('evt')
  await sql.begin(async tx => {
    await tx`INSERT INTO accounts (id, name) VALUES (${accountId}, 'neighbour')`
    for (let n = 0; n < endpoints; n++)
      await createWebhook(tx, cipher, neighbour, { url, events: ['article.created'] })
    await tx`
      INSERT INTO events (id, account_id, mode, type, body, created_at)
      VALUES (${eventId}, ${accountId}, ${neighbour.mode}, 'article.created', '{}', now())`
    await tx`
      INSERT INTO deliveries (id, account_id, mode, webhook_id, event_id, event_type, status,
        attempt_limit, next_attempt_at, due_at, created_at)
      SELECT 'dlv_' || substr(${eventId}, 5, 14) || substr(md5(w.id || n), 1, 12), ${accountId},
        ${neighbour.mode}, w.id, ${eventId}, 'article.created', 'RETRYING', ${MAX_ATTEMPTS}::int, now(), now(), now()
      FROM webhooks w CROSS JOIN generate_series(1, ${BACKLOG}) AS n
      WHERE w.account_id = ${accountId}`
  })
}

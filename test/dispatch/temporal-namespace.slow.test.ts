import { test } from 'bun:test'
import { Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time'
import { useArden } from '../support/arden'
import { useKillableTemporal } from '../support/operations/killable-temporal'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** A Temporal that has lost its store is there before its namespace, which an operator creates (docs/operations.md). */

const NAMESPACE = 'of-an-operator'
/** In ms, of a worker that has just started: until then the SDK tries again what later lets a poll fail for good. */
const FORGIVING_MS = 62_000
/** In ms, without Temporal. */
const AWAY_MS = 3_000
/** In ms, without the namespace: the polls of the workers meet that, and fail. */
const WITHOUT_MS = 8_000
/** For a worker that fails and never ends, its replacement, and the third attempts, which are 25 s after the second. */
const HEALED_WITHIN_S = 90

let status = 500
const receiver = useReceiver(() => new Response('', { status }))
const temporal = await useKillableTemporal()
const createNamespace = async () => {
  const connection = await Connection.connect({ address: temporal.address })
  await connection.workflowService.registerNamespace({
    namespace: NAMESPACE,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  })
  await connection.close()
}
await createNamespace()

const arden = await useArden(
  { serve: true, worker: true },
  {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    // Only here the first attempts go on, so that a worker without Temporal could go unnoticed.
    ARDEN_WORKFLOWS: 'on-retry',
  },
)
const live = await arden.client()
await live.post('/webhooks', { url: receiver.url, events: ['article.created'] })
const project_id = (await live.post('/projects', { name: 'p' })).body.data.id

const retrying = async () => {
  const [row] = await arden.sql`
    SELECT count(*)::int AS waiting, count(*) FILTER (WHERE attempt_count > 0)::int AS attempted
    FROM deliveries WHERE status = 'RETRYING'`
  return { waiting: 0, attempted: 0, ...row }
}

/** A few a second, until `signal`. */
const createArticles = async (signal: AbortSignal) => {
  while (!signal.aborted) {
    await live.post('/articles', { project_id, title: 't' })
    await Bun.sleep(200)
  }
}

test('workers go on in a namespace that is created after the start of an empty Temporal', async () => {
  for (const next of ['second', 'third']) {
    const startedAt = performance.now()
    status = 500
    const done = new AbortController()
    const load = createArticles(done.signal)
    load.catch(() => {}) // Awaited below.
    // Their workflows wait for the next attempt, in the cache of the workers.
    await until('workflows wait', async () => (await retrying()).attempted >= 15, 60)
    await Bun.sleep(Math.max(0, FORGIVING_MS - (performance.now() - startedAt)))
    await temporal.kill()
    await Bun.sleep(AWAY_MS)
    await temporal.start(next)
    await Bun.sleep(WITHOUT_MS)
    await createNamespace()
    done.abort()
    await load
    status = 200
    // As if the time of the sweep had come, and that of the next attempts.
    await arden.sql`
      UPDATE deliveries SET next_attempt_at = clock_timestamp() WHERE status = 'RETRYING'`
    await until(
      `deliveries go on with the ${next} store`,
      async () => {
        await arden.sql`
          UPDATE delivery_queue SET check_at = clock_timestamp() WHERE check_at > clock_timestamp()`
        return (await retrying()).waiting === 0
      },
      HEALED_WITHIN_S,
    )
  }
}, 500_000)

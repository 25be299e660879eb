import { newId } from '../src/ids'
import { KIND } from '../src/webhooks/queue/entry'
import { FIRST_RETRY_DELAY_MS } from '../src/webhooks/retry-schedule'
import { WORKFLOW_POLLS } from '../src/worker/temporal-workers'
import { until } from '../test/support/until'
import type { Bench } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import { commitEvents } from './parts/events'
import type { Figure } from './parts/figure'
import { atMost } from './parts/goal'
import { median, percentile } from './parts/rounds'
import type { RetryReceiverStatus } from './processes/retry-receiver'

/** Deliveries whose first attempt has failed before the worker freezes. */
const RETRIED = 30
/** Deliveries a second while it is frozen. Each fails once. */
const PER_SECOND = 10
/** How long the worker is frozen, in ms: longer than its lease, and than the delay of a retry. */
const FROZEN_MS = 10_000
const LATE_MS = 1_000

type Lateness = { firstP99: number; lateRetries: number }

/**
 * A frozen worker must not delay deliveries that are not in flight on it by more than a second
 * (docs/decisions/fairness.md).
 */
export const frozenWorker: Bench = {
  name: 'frozen-worker',
  product: `how late attempts are while one of two workers is frozen, which had nothing in flight; ${PER_SECOND} deliveries a second, and ${RETRIED} that waited for their second attempt`,
  baseline: 'no worker is frozen',
  run: async ({ servers, rounds }) => {
    const figures: Figure[] = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'late', RetryReceiverStatus>('retry-receiver')
      await deployment.webhook((await receiver.run('late')).url)
      const worker = await deployment.worker(lane)
      await deployment.worker(lane)
      const side = async (frozen?: number) => {
        const measured: Lateness[] = []
        for (let n = 0; n < rounds; n++) measured.push(await measureLateness(deployment, frozen))
        return (of: keyof Lateness) => median(measured.map(one => one[of]))
      }
      const baseline = await side()
      const product = await side(worker.pid)
      const figure = (of: keyof Lateness, variant: string, unit: string, most: number): Figure => ({
        variant: `${lane}, ${variant}`,
        unit,
        baseline: baseline(of),
        product: product(of),
        goal: atMost(most),
        cpu: {},
      })
      figures.push(
        figure('firstP99', 'p99 of first attempts', 'ms', LATE_MS),
        // Temporal gives a task to each poll that the frozen worker began: those are in flight on it.
        figure('lateRetries', 'retries', 'more than 1 s late', WORKFLOW_POLLS),
      )
    }
    return figures
  },
}

/** Freezes the process `pid`, if any, while nothing is in flight. */
const measureLateness = async (
  deployment: Deployment,
  pid: number | undefined,
): Promise<Lateness> => {
  const { sql } = deployment
  const first = newId('dlv')
  await commitEvents(deployment, RETRIED)
  await until('each waits for its second attempt, and nothing is claimed', async () => {
    const [{ waiting }] = await sql<[{ waiting: number }]>`
      SELECT count(*)::int AS waiting FROM delivery_queue q JOIN deliveries d ON d.id = q.delivery_id
      WHERE q.kind = ${KIND.owned} AND q.claimer IS NULL AND d.attempt_count > 0`
    return waiting === RETRIED
  })
  // The tasks in which they failed end.
  await Bun.sleep(FIRST_RETRY_DELAY_MS / 10)
  if (pid !== undefined) process.kill(pid, 'SIGSTOP')
  try {
    const end = performance.now() + FROZEN_MS
    while (performance.now() < end) {
      await commitEvents(deployment, 1)
      await Bun.sleep((1000 / PER_SECOND) * (0.5 + Math.random()))
    }
  } finally {
    if (pid !== undefined) process.kill(pid, 'SIGCONT')
  }
  await until('all are delivered', async () => {
    const open = await sql`
      SELECT FROM deliveries WHERE id > ${first} AND status <> 'DELIVERED' LIMIT 1`
    return open.length === 0
  })
  const late = await sql<{ first: number; retry: number }[]>`
    SELECT extract(epoch FROM one.started_at - d.created_at)::float8 * 1000 AS first,
      extract(epoch FROM two.started_at - one.started_at)::float8 * 1000 - one.duration_ms
        - ${FIRST_RETRY_DELAY_MS}::int AS retry
    FROM deliveries d
    JOIN all_attempts one ON one.delivery_id = d.id AND one.number = 1
    JOIN all_attempts two ON two.delivery_id = d.id AND two.number = 2
    WHERE d.id > ${first}`
  const firsts = late.map(one => one.first).toSorted((a, b) => a - b)
  return {
    firstP99: percentile(firsts, 0.99),
    lateRetries: late.filter(({ retry }) => retry > LATE_MS).length,
  }
}

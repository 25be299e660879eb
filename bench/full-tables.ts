import { measureAuth } from './api-auth'
import { measureList } from './api-read'
import { measureWrite } from './api-write'
import type { Bench } from './bench'
import { measureEndToEnd } from './end-to-end'
import { createDeployment, type Deployment } from './parts/deployment'
import { measureDelivery } from './parts/events'
import type { Figure } from './parts/figure'
import { fillArticles, fillDeliveries } from './parts/fill'
import { ratioAtLeast } from './parts/goal'
import { alternate, type Measure, toFigure } from './parts/rounds'
import type { LoadJob, LoadResult } from './processes/load'
import type { ReceiverStatus } from './processes/receiver'

const OLD = 1_000_000
const ARTICLES = 10_000
const DRAINED = 20_000
const POSTED = 5_000
const STARTED = 300
/** Deliveries whose deleted rows the snapshot keeps, before those that are measured. */
const UNDER_SNAPSHOT = 100_000

/** The other benchmarks with a month of old data. */
export const fullTables: Bench = {
  name: 'full-tables',
  product: `the above with ${OLD.toLocaleString('en')} old events, each with a delivery and an attempt`,
  baseline: 'itself on empty tables',
  run: async ({ servers, rounds, seconds, amount, say }) => {
    await using empty = await createDeployment(servers)
    await using full = await createDeployment(servers)
    const receiver = full.child<'received', ReceiverStatus>('receiver')
    const load = full.child<LoadJob, LoadResult>('load')
    empty.pids.load = load.pid
    const { url: hook } = await receiver.run('received')
    for (const { sql, caller, projectId, webhook } of [empty, full]) {
      await webhook(hook)
      await fillArticles(sql, caller, projectId, amount(ARTICLES))
    }
    await fillDeliveries(full, amount(OLD))
    say('full-tables: the tables are filled')

    const figures: Figure[] = []
    const compare = async (
      variant: string,
      unit: string,
      side: (deployment: Deployment) => Measure,
    ) => {
      const done = await alternate(rounds, side(empty), side(full))
      figures.push(toFigure(done, { variant, unit, goal: ratioAtLeast(0.85) }))
    }
    const urls = new Map([
      [empty, (await empty.serve()).url],
      [full, (await full.serve()).url],
    ])
    const target = (deployment: Deployment) => ({
      deployment,
      load,
      url: urls.get(deployment) ?? '',
      seconds,
    })
    await compare('api-auth', 'requests/s', deployment => measureAuth(target(deployment)))
    await compare('api-read', 'requests/s', deployment => measureList(target(deployment)))
    await compare('api-write', 'requests/s', deployment => measureWrite(target(deployment)))

    const workers = [await empty.worker('on-retry'), await full.worker('on-retry')]
    await compare(
      'drain, on-retry',
      'deliveries/s',
      deployment => () => measureDelivery(deployment, receiver, amount(DRAINED)),
    )
    await compare('end-to-end, on-retry', 'events/s', deployment =>
      measureEndToEnd({ ...target(deployment), receiver, count: amount(POSTED) }),
    )
    {
      await using held = await createDeployment(servers)
      await held.webhook(hook)
      const worker = await held.worker('on-retry')
      const release = await holdSnapshot(held)
      say('full-tables: a snapshot is held')
      await measureDelivery(held, receiver, amount(UNDER_SNAPSHOT))
      const deliveryOf = (deployment: Deployment) => () =>
        measureDelivery(deployment, receiver, amount(DRAINED))
      const done = await alternate(rounds, deliveryOf(empty), deliveryOf(held))
      figures.push(
        toFigure(done, {
          variant: 'drain, on-retry, under a snapshot',
          unit: 'deliveries/s',
          goal: ratioAtLeast(0.85),
          note: `empty tables, with a snapshot held since ${amount(UNDER_SNAPSHOT).toLocaleString('en')} deliveries ago`,
        }),
      )
      await worker.stop()
      await release()
    }
    for (const worker of workers) await worker.stop()

    await empty.worker('every')
    await full.worker('every')
    await compare(
      'deliveries, every',
      'deliveries/s',
      deployment => () => measureDelivery(deployment, receiver, amount(STARTED)),
    )
    return figures
  },
}

/** Holds a snapshot, as a `pg_dump` does, until the returned function is called. */
const holdSnapshot = async ({ sql }: Deployment): Promise<() => Promise<void>> => {
  const connection = await sql.reserve()
  await connection`SET idle_in_transaction_session_timeout = 0`
  await connection`BEGIN ISOLATION LEVEL REPEATABLE READ`
  await connection`SELECT 1`
  return async () => {
    await connection`COMMIT`
    connection.release()
  }
}

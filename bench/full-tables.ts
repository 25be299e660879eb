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
/** Few enough for a run of ten minutes at most where other programs use the machine: 12 measurements each. */
const DRAINED = 8_000
const POSTED = 2_000
const STARTED = 100

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

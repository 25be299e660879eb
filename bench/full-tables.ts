import { authenticated } from './api-auth'
import { listing } from './api-read'
import { writing } from './api-write'
import type { Bench } from './bench'
import { delivered } from './end-to-end'
import { deliver } from './parts/events'
import type { Figure } from './parts/figure'
import { fillArticles, fillDeliveries } from './parts/fill'
import { ratioAtLeast } from './parts/mark'
import { createStage, type Stage } from './parts/stage'
import { figureOf, inTurns, type Side } from './parts/turns'
import type { Load, LoadJob } from './processes/load'
import type { ReceiverAnswer } from './processes/receiver'

const OLD = 1_000_000
const ARTICLES = 10_000
const DRAINED = 20_000
const POSTED = 5_000
const STARTED = 300

/** The other benches a month later. */
export const fullTables: Bench = {
  name: 'full-tables',
  product: `the above with ${OLD.toLocaleString('en')} old events, each with a delivery and an attempt`,
  floor: 'itself on empty tables',
  run: async ({ servers, rounds, seconds, amount, say }) => {
    await using empty = await createStage(servers)
    await using full = await createStage(servers)
    const receiver = full.child<'received', ReceiverAnswer>('receiver')
    const load = full.child<LoadJob, Load>('load')
    empty.pids.load = load.pid
    const { url: hook } = await receiver.ask('received')
    for (const { sql, caller, projectId, webhook } of [empty, full]) {
      await webhook(hook)
      await fillArticles(sql, caller, projectId, amount(ARTICLES))
    }
    await fillDeliveries(full, amount(OLD))
    say('full-tables: the tables are full')

    const figures: Figure[] = []
    const compare = async (variant: string, unit: string, side: (stage: Stage) => Side) => {
      const done = await inTurns(rounds, side(empty), side(full))
      figures.push(figureOf(done, { variant, unit, mark: ratioAtLeast(0.85) }))
    }
    const urls = new Map([
      [empty, (await empty.serve()).url],
      [full, (await full.serve()).url],
    ])
    const target = (stage: Stage) => ({ stage, load, url: urls.get(stage) ?? '', seconds })
    await compare('api-auth', 'requests/s', stage => authenticated(target(stage)))
    await compare('api-read', 'requests/s', stage => listing(target(stage)))
    await compare('api-write', 'requests/s', stage => writing(target(stage)))

    const workers = [await empty.worker('on-retry'), await full.worker('on-retry')]
    await compare(
      'drain, on-retry',
      'deliveries/s',
      stage => () => deliver(stage, receiver, amount(DRAINED)),
    )
    await compare('end-to-end, on-retry', 'events/s', stage =>
      delivered({ ...target(stage), receiver, count: amount(POSTED) }),
    )
    for (const worker of workers) await worker.stop()

    await empty.worker('every')
    await full.worker('every')
    await compare(
      'deliveries, every',
      'deliveries/s',
      stage => () => deliver(stage, receiver, amount(STARTED)),
    )
    return figures
  },
}

import type { Bench } from './bench'
import { deliver } from './parts/events'
import { ratioAtLeast, ratioAtMost } from './parts/mark'
import { createStage } from './parts/stage'
import { cpuFigureOf, figureOf, inTurns } from './parts/turns'
import type { FloorWorkerJob } from './processes/floor-worker'
import type { ReceiverAnswer } from './processes/receiver'

/** In each of the rounds, so that five make 5,000. */
const EVENTS = 1_000

/** A workflow for each delivery, beside a workflow that does nothing. */
export const deliveries: Bench = {
  name: 'deliveries',
  product:
    '5,000 events, 1,000 in each round, to one fast local receiver, commit to DELIVERED, a workflow each (`every`)',
  floor: 'as many workflows with one do-nothing activity, on the same Temporal and worker options',
  run: async ({ servers, rounds, amount, say }) => {
    const figures = []
    for (const store of servers.stores) {
      await using stage = await createStage(servers, store)
      const receiver = stage.child<'received', ReceiverAnswer>('receiver')
      await stage.webhook((await receiver.ask('received')).url)
      await stage.worker('every')
      const bare = stage.child<FloorWorkerJob, { seconds: number }>('floor-worker')
      const count = amount(EVENTS)
      const done = await inTurns(
        rounds,
        async () => {
          const { seconds, cpu } = await stage.cpu(async () => ({
            ...(await bare.ask({ address: store.address, count })),
            operations: count,
          }))
          return { value: count / seconds, cpu }
        },
        () => deliver(stage, receiver, count),
      )
      say(`deliveries: Temporal on ${store.name} is done`)
      const variant = `every, Temporal on ${store.name}`
      figures.push(
        figureOf(done, { variant, unit: 'deliveries/s', mark: ratioAtLeast(0.85) }),
        cpuFigureOf(done, ['postgres', 'temporal', 'worker', 'floor-worker'], {
          variant,
          mark: ratioAtMost(1.25),
        }),
      )
    }
    return figures
  },
}

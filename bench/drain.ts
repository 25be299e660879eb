import type { Bench } from './bench'
import { deliver } from './parts/events'
import { EVERY_SHARE } from './parts/lanes'
import { ratioAtLeast } from './parts/mark'
import { createStage } from './parts/stage'
import { figureOf, inTurns } from './parts/turns'
import type { FloorSenderJob } from './processes/floor-sender'
import type { ReceiverAnswer } from './processes/receiver'

const DELIVERIES = 20_000

/** The lane for volume, and beside it a workflow for each. */
export const drain: Bench = {
  name: 'drain',
  product: `${DELIVERIES.toLocaleString('en')} committed deliveries, until all are DELIVERED`,
  floor: 'as many signed POSTs from one Bun process, outcomes written in batches of 100',
  run: async ({ servers, rounds, amount }) => {
    const figures = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using stage = await createStage(servers)
      const receiver = stage.child<'received', ReceiverAnswer>('receiver')
      const { url } = await receiver.ask('received')
      await stage.webhook(url)
      await stage.worker(lane)
      const bare = stage.child<FloorSenderJob, { seconds: number }>('floor-sender')
      const count = amount(DELIVERIES * (lane === 'every' ? EVERY_SHARE : 1))
      const done = await inTurns(
        rounds,
        async () => {
          const { seconds, cpu } = await stage.cpu(async () => ({
            ...(await bare.ask({ databaseUrl: stage.databaseUrl, url, count })),
            operations: count,
          }))
          return { value: count / seconds, cpu }
        },
        () => deliver(stage, receiver, count),
      )
      const mark = lane === 'on-retry' ? ratioAtLeast(0.6) : undefined
      const note = lane === 'every' ? `${count} of them` : undefined
      figures.push(
        figureOf(done, { variant: lane, unit: 'deliveries/s', mark, ...(note && { note }) }),
      )
    }
    return figures
  },
}

import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import { measureDelivery } from './parts/events'
import { ratioAtLeast } from './parts/goal'
import { EVERY_FRACTION } from './parts/lanes'
import { alternate, toFigure } from './parts/rounds'
import type { BaselineSenderJob } from './processes/baseline-sender'
import type { ReceiverStatus } from './processes/receiver'

const DELIVERIES = 20_000

/** The delivery lane for high volume, and a workflow per delivery. */
export const drain: Bench = {
  name: 'drain',
  product: `${DELIVERIES.toLocaleString('en')} committed deliveries, until all are DELIVERED`,
  baseline: 'as many signed POSTs from one Bun process, outcomes written in batches of 100',
  run: async ({ servers, rounds, amount }) => {
    const figures = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'received', ReceiverStatus>('receiver')
      const { url } = await receiver.run('received')
      await deployment.webhook(url)
      await deployment.worker(lane)
      const reference = deployment.child<BaselineSenderJob, { seconds: number }>('baseline-sender')
      const count = amount(DELIVERIES * (lane === 'every' ? EVERY_FRACTION : 1))
      const done = await alternate(
        rounds,
        async () => {
          const { seconds, cpu } = await deployment.cpu(async () => ({
            ...(await reference.run({ databaseUrl: deployment.databaseUrl, url, count })),
            operations: count,
          }))
          return { value: count / seconds, cpu }
        },
        () => measureDelivery(deployment, receiver, count),
      )
      const goal = lane === 'on-retry' ? ratioAtLeast(0.6) : undefined
      const note = lane === 'every' ? `${count} of them` : undefined
      figures.push(
        toFigure(done, { variant: lane, unit: 'deliveries/s', goal, ...(note && { note }) }),
      )
    }
    return figures
  },
}

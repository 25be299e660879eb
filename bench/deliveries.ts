import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import { measureDelivery } from './parts/events'
import { ratioAtLeast, ratioAtMost } from './parts/goal'
import { alternate, toCpuFigure, toFigure } from './parts/rounds'
import type { BaselineWorkerJob } from './processes/baseline-worker'
import type { ReceiverStatus } from './processes/receiver'

/** In each round: five rounds make 5,000. */
const EVENTS = 1_000

/** A workflow per delivery, compared with a no-op workflow. */
export const deliveries: Bench = {
  name: 'deliveries',
  product:
    '5,000 events, 1,000 in each round, to one fast local receiver, commit to DELIVERED, a workflow each (`every`)',
  baseline: 'as many workflows with one no-op activity, on the same Temporal and worker options',
  run: async ({ servers, rounds, amount, say }) => {
    const figures = []
    for (const store of servers.stores) {
      await using deployment = await createDeployment(servers, store)
      const receiver = deployment.child<'received', ReceiverStatus>('receiver')
      await deployment.webhook((await receiver.run('received')).url)
      await deployment.worker('every')
      const reference = deployment.child<BaselineWorkerJob, { seconds: number }>('baseline-worker')
      const count = amount(EVENTS)
      const done = await alternate(
        rounds,
        async () => {
          const { seconds, cpu } = await deployment.cpu(async () => ({
            ...(await reference.run({ address: store.address, count })),
            operations: count,
          }))
          return { value: count / seconds, cpu }
        },
        () => measureDelivery(deployment, receiver, count),
      )
      say(`deliveries: Temporal on ${store.name} is done`)
      const variant = `every, Temporal on ${store.name}`
      figures.push(
        toFigure(done, { variant, unit: 'deliveries/s', goal: ratioAtLeast(0.85) }),
        toCpuFigure(done, ['postgres', 'temporal', 'worker', 'baseline-worker'], {
          variant,
          goal: ratioAtMost(1.25),
        }),
      )
    }
    return figures
  },
}

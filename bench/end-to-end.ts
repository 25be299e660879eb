import type { LoadTarget } from './api-auth'
import { newArticle } from './api-write'
import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import { type Receiver, watchDeliveries } from './parts/events'
import { atLeast, ratioAtLeast } from './parts/goal'
import { EVERY_FRACTION } from './parts/lanes'
import { CONNECTIONS, measureRequests } from './parts/requests'
import { alternate, type Measure, toFigure } from './parts/rounds'
import type { LoadJob, LoadResult } from './processes/load'
import type { ReceiverStatus } from './processes/receiver'

const ARTICLES = 10_000

/** Whether sending deliveries slows down requests: the same requests without and with a worker. */
export const endToEnd: Bench = {
  name: 'end-to-end',
  product: `${ARTICLES.toLocaleString('en')} \`POST /articles\` with an \`Idempotency-Key\` by ${CONNECTIONS} callers, one webhook: first request to last DELIVERED`,
  baseline: 'the same requests, nothing delivered',
  run: async ({ servers, rounds, amount }) => {
    const figures = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using alone = await createDeployment(servers)
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'received', ReceiverStatus>('receiver')
      const { url: hook } = await receiver.run('received')
      await alone.webhook(hook)
      await deployment.webhook(hook)
      const load = deployment.child<LoadJob, LoadResult>('load')
      alone.pids.load = load.pid
      const count = amount(ARTICLES * (lane === 'every' ? EVERY_FRACTION : 1))
      const baseline = { deployment: alone, load, url: (await alone.serve()).url, count }
      const product = { deployment, load, url: (await deployment.serve()).url, count, receiver }
      await deployment.worker(lane)
      const done = await alternate(
        rounds,
        async () => measureRequests(alone, load, await createPosts(baseline), [201]),
        measureEndToEnd(product),
      )
      const about = { variant: lane, unit: 'events/s' }
      if (lane === 'every')
        figures.push(toFigure(done, { ...about, goal: undefined, note: `${count} of them` }))
      else
        figures.push(
          toFigure(done, { ...about, goal: ratioAtLeast(0.8) }),
          toFigure(done, { ...about, goal: atLeast(3_500) }),
        )
    }
    return figures
  },
}

type CountedTarget = LoadTarget & { count: number }

const createPosts = async ({ deployment, url, count }: CountedTarget): Promise<LoadJob> => ({
  url: `${url}/api/public/v1/articles`,
  method: 'POST',
  body: newArticle(deployment),
  idempotent: true,
  keys: await deployment.keys(1),
  connections: Math.min(CONNECTIONS, count),
  count,
})

/** Measures requests, in events a second from the first request to the last DELIVERED. */
export const measureEndToEnd =
  ({ receiver, ...target }: CountedTarget & { receiver: Receiver }): Measure =>
  async () => {
    const { deployment, load, count } = target
    const job = await createPosts(target)
    const allDelivered = await watchDeliveries(deployment, receiver, count)
    const { began, ended, cpu } = await deployment.cpu(async () => {
      const began = Date.now()
      await load.run(job)
      const ended = await allDelivered()
      return { began, ended, operations: count }
    })
    return { value: (count * 1000) / (ended - began), cpu }
  }

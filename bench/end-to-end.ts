import type { Target } from './api-auth'
import { newArticle } from './api-write'
import type { Bench } from './bench'
import { type Receiver, watchDeliveries } from './parts/events'
import { EVERY_SHARE } from './parts/lanes'
import { atLeast, ratioAtLeast } from './parts/mark'
import { CONNECTIONS, turnOf } from './parts/requests'
import { createStage } from './parts/stage'
import { figureOf, inTurns, type Side } from './parts/turns'
import type { Load, LoadJob } from './processes/load'
import type { ReceiverAnswer } from './processes/receiver'

const ARTICLES = 10_000

/** Whether delivering takes anything from accepting: the same requests, without and with a worker. */
export const endToEnd: Bench = {
  name: 'end-to-end',
  product: `${ARTICLES.toLocaleString('en')} \`POST /articles\` by ${CONNECTIONS} callers, one webhook: first request to last DELIVERED`,
  floor: 'the same requests, nothing delivered',
  run: async ({ servers, rounds, amount }) => {
    const figures = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using alone = await createStage(servers)
      await using stage = await createStage(servers)
      const receiver = stage.child<'received', ReceiverAnswer>('receiver')
      const { url: hook } = await receiver.ask('received')
      await alone.webhook(hook)
      await stage.webhook(hook)
      const load = stage.child<LoadJob, Load>('load')
      alone.pids.load = load.pid
      const count = amount(ARTICLES * (lane === 'every' ? EVERY_SHARE : 1))
      const floor = { stage: alone, load, url: (await alone.serve()).url, count }
      const product = { stage, load, url: (await stage.serve()).url, count, receiver }
      await stage.worker(lane)
      const done = await inTurns(
        rounds,
        async () => turnOf(alone, load, await posts(floor), [201]),
        delivered(product),
      )
      const about = { variant: lane, unit: 'events/s' }
      if (lane === 'every')
        figures.push(figureOf(done, { ...about, mark: undefined, note: `${count} of them` }))
      else
        figures.push(
          figureOf(done, { ...about, mark: ratioAtLeast(0.8) }),
          figureOf(done, { ...about, mark: atLeast(3_500) }),
        )
    }
    return figures
  },
}

type Counted = Target & { count: number }

const posts = async ({ stage, url, count }: Counted): Promise<LoadJob> => ({
  url: `${url}/api/public/v1/articles`,
  method: 'POST',
  body: newArticle(stage),
  keys: await stage.keys(1),
  connections: Math.min(CONNECTIONS, count),
  count,
})

/** A turn of requests, in events a second from the first request to the last DELIVERED. */
export const delivered =
  ({ receiver, ...target }: Counted & { receiver: Receiver }): Side =>
  async () => {
    const { stage, load, count } = target
    const job = await posts(target)
    const allDelivered = await watchDeliveries(stage, receiver, count)
    const { began, ended, cpu } = await stage.cpu(async () => {
      const began = Date.now()
      await load.ask(job)
      const ended = await allDelivered()
      return { began, ended, operations: count }
    })
    return { value: (count * 1000) / (ended - began), cpu }
  }

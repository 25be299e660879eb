import { newArticle } from './api-write'
import type { Bench } from './bench'
import { allDelivered } from './parts/events'
import { EVERY_SHARE } from './parts/lanes'
import { atLeast, ratioAtLeast } from './parts/mark'
import { CONNECTIONS, turnOf } from './parts/requests'
import { createStage } from './parts/stage'
import { figureOf, inTurns } from './parts/turns'
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
      const count = amount(ARTICLES * (lane === 'every' ? EVERY_SHARE : 1))
      const floorUrl = (await alone.serve()).url
      const { url } = await stage.serve()
      await stage.worker(lane)
      const job = async (one: typeof stage, base: string): Promise<LoadJob> => ({
        url: `${base}/api/public/v1/articles`,
        method: 'POST',
        body: newArticle(one),
        keys: await one.keys(1),
        connections: Math.min(CONNECTIONS, count),
        count,
      })
      const done = await inTurns(
        rounds,
        async () => turnOf(alone, load, await job(alone, floorUrl), [201]),
        async () => {
          const posting = await job(stage, url)
          const { received } = await receiver.ask('received')
          const { began, ended, cpu } = await stage.cpu(async () => {
            const began = Date.now()
            await load.ask(posting)
            return {
              began,
              ended: await allDelivered(stage, receiver, received + count),
              operations: count,
            }
          })
          return { value: (count * 1000) / (ended - began), cpu }
        },
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

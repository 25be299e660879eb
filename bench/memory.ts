import type { Bench } from './bench'
import { residentBytes } from './parts/cpu'
import { deliver } from './parts/events'
import type { Figure } from './parts/figure'
import { ratioAtMost } from './parts/mark'
import { CONNECTIONS } from './parts/requests'
import { createStage, RATE_LIMIT } from './parts/stage'
import { median } from './parts/turns'
import type { Load, LoadJob } from './processes/load'
import type { ReceiverAnswer } from './processes/receiver'

const REQUESTS = 1_000_000
const DELIVERIES = 50_000
/** Of them with a workflow each: all would take a quarter of an hour. */
const EVERY_SHARE = 0.1
/** After so many at a time, the worker has done them all before the next. */
const BATCH = 5_000
/** Collectors of garbage give memory back in their own time: looked at so often, over two turns' time. */
const LOOKS = 6
const MB = 1e6

/** Whether a process that has done much holds more than one that has done a tenth. */
export const memory: Bench = {
  name: 'memory',
  product: `resident memory after ${REQUESTS.toLocaleString('en')} requests (serve) and ${DELIVERIES.toLocaleString('en')} deliveries (worker)`,
  floor: 'the same process after a tenth of that',
  run: async ({ servers, seconds, amount, say }) => {
    const figures: Figure[] = []
    const betweenMs = (seconds * 2000) / LOOKS
    {
      await using stage = await createStage(servers)
      const { url, pid } = await stage.serve()
      const load = stage.child<LoadJob, Load>('load')
      const request = async (total: number) => {
        for (let left = total; left > 0; left -= RATE_LIMIT)
          await load.ask({
            url: `${url}/api/public/v1/webhooks/events`,
            keys: await stage.keys(1),
            connections: Math.min(CONNECTIONS, left),
            count: Math.min(RATE_LIMIT, left),
          })
      }
      figures.push(await grown({ variant: 'serve', pid, betweenMs }, request, amount(REQUESTS)))
    }
    say('memory: the requests are done')
    for (const lane of ['on-retry', 'every'] as const) {
      await using stage = await createStage(servers)
      const receiver = stage.child<'received', ReceiverAnswer>('receiver')
      await stage.webhook((await receiver.ask('received')).url)
      const { pid } = await stage.worker(lane)
      const send = async (total: number) => {
        for (let left = total; left > 0; left -= BATCH)
          await deliver(stage, receiver, Math.min(BATCH, left))
      }
      const count = amount(DELIVERIES * (lane === 'every' ? EVERY_SHARE : 1))
      const variant = `worker, ${lane}, ${count.toLocaleString('en')} deliveries`
      figures.push(await grown({ variant, pid, betweenMs }, send, count))
    }
    return figures
  },
}

type Process = { variant: string; pid: number; betweenMs: number }

const grown = async (
  process: Process,
  work: (count: number) => Promise<void>,
  count: number,
): Promise<Figure> => {
  const tenth = Math.ceil(count / 10)
  await work(tenth)
  const floor = await resident(process)
  await work(count - tenth)
  const product = await resident(process)
  const ratio = product / floor
  return {
    variant: process.variant,
    unit: 'MB',
    floor,
    product,
    ratio: { median: ratio, least: ratio, most: ratio },
    mark: ratioAtMost(1.2),
    cpu: {},
  }
}

const resident = async ({ pid, betweenMs }: Process): Promise<number> => {
  const seen: number[] = []
  for (let n = 0; n < LOOKS; n++) {
    await Bun.sleep(betweenMs)
    seen.push((await residentBytes(pid)) / MB)
  }
  return median(seen)
}

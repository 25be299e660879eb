import type { Bench } from './bench'
import { residentBytes } from './parts/cpu'
import { createDeployment, RATE_LIMIT } from './parts/deployment'
import { measureDelivery } from './parts/events'
import type { Figure } from './parts/figure'
import { ratioAtMost } from './parts/goal'
import { CONNECTIONS } from './parts/requests'
import { median } from './parts/rounds'
import type { LoadJob, LoadResult } from './processes/load'
import type { ReceiverStatus } from './processes/receiver'

const REQUESTS = 1_000_000
const DELIVERIES = 50_000
/** Fraction with a workflow each; all of them would take a quarter of an hour. */
const EVERY_SHARE = 0.1
/** The worker finishes a batch before the next. */
const BATCH = 5_000
/** Samples over the time of two measurements: garbage collectors return memory late. */
const SAMPLES = 6
const MB = 1e6

/** Whether memory grows with the amount of work. */
export const memory: Bench = {
  name: 'memory',
  product: `resident memory after ${REQUESTS.toLocaleString('en')} requests (serve) and ${DELIVERIES.toLocaleString('en')} deliveries (worker)`,
  baseline: 'the same process after a tenth of that',
  run: async ({ servers, seconds, amount, say }) => {
    const figures: Figure[] = []
    const betweenMs = (seconds * 2000) / SAMPLES
    {
      await using deployment = await createDeployment(servers)
      const { url, pid } = await deployment.serve()
      const load = deployment.child<LoadJob, LoadResult>('load')
      const request = async (total: number) => {
        for (let left = total; left > 0; left -= RATE_LIMIT)
          await load.run({
            url: `${url}/api/public/v1/webhooks/events`,
            keys: await deployment.keys(1),
            connections: Math.min(CONNECTIONS, left),
            count: Math.min(RATE_LIMIT, left),
          })
      }
      figures.push(
        await measureGrowth({ variant: 'serve', pid, betweenMs }, request, amount(REQUESTS)),
      )
    }
    say('memory: the requests are finished')
    for (const lane of ['on-retry', 'every'] as const) {
      await using deployment = await createDeployment(servers)
      const receiver = deployment.child<'received', ReceiverStatus>('receiver')
      await deployment.webhook((await receiver.run('received')).url)
      const { pid } = await deployment.worker(lane)
      const send = async (total: number) => {
        for (let left = total; left > 0; left -= BATCH)
          await measureDelivery(deployment, receiver, Math.min(BATCH, left))
      }
      const count = amount(DELIVERIES * (lane === 'every' ? EVERY_SHARE : 1))
      const variant = `worker, ${lane}, ${count.toLocaleString('en')} deliveries`
      figures.push(await measureGrowth({ variant, pid, betweenMs }, send, count))
    }
    return figures
  },
}

type Process = { variant: string; pid: number; betweenMs: number }

const measureGrowth = async (
  process: Process,
  work: (count: number) => Promise<void>,
  count: number,
): Promise<Figure> => {
  const tenth = Math.ceil(count / 10)
  await work(tenth)
  const baseline = await readResidentMb(process)
  await work(count - tenth)
  const product = await readResidentMb(process)
  const ratio = product / baseline
  return {
    variant: process.variant,
    unit: 'MB',
    baseline,
    product,
    ratio: { median: ratio, least: ratio, most: ratio },
    goal: ratioAtMost(1.2),
    cpu: {},
  }
}

const readResidentMb = async ({ pid, betweenMs }: Process): Promise<number> => {
  const seen: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    await Bun.sleep(betweenMs)
    seen.push((await residentBytes(pid)) / MB)
  }
  return median(seen)
}

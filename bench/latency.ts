import type { Bench } from './bench'
import type { Figure } from './parts/figure'
import { atMost } from './parts/mark'
import { createStage } from './parts/stage'
import { median, percentile } from './parts/turns'
import type { FloorJob } from './processes/floor'
import type { ProberAnswer, ProberJob } from './processes/prober'

const PER_SECOND = 20
const MARKS = { 'on-retry': { p50: 3, p95: 4 }, every: { p50: 12, p95: 25 } }

export const latency: Bench = {
  name: 'latency',
  product: `request sent to webhook received, at ${PER_SECOND} events a second`,
  floor: 'one commit plus one POST, bare',
  run: async ({ servers, rounds, seconds }) => {
    const figures: Figure[] = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using stage = await createStage(servers)
      const { caller: tenant, databaseUrl, projectId } = stage
      const prober = stage.child<ProberJob, ProberAnswer>('prober')
      const { receiverUrl } = await prober.ask('where')
      await stage.webhook(receiverUrl)
      const floor = stage.child<FloorJob, { url: string }>('floor')
      const bare = await floor.ask({ databaseUrl, tenant, projectId, receiverUrl })
      const { url } = await stage.serve()
      await stage.worker(lane)
      const [key = ''] = await stage.keys(1)
      const pace = { projectId, perSecond: PER_SECOND, seconds }
      const sides = {
        floor: () => prober.ask({ ...pace, url: `${bare.url}/relayed` }),
        product: () => prober.ask({ ...pace, url: `${url}/api/public/v1/articles`, key }),
      }
      await sides.floor()
      await sides.product()
      const done = { floor: [] as number[][], product: [] as number[][] }
      for (let n = 0; n < rounds; n++)
        for (const side of ['floor', 'product'] as const)
          done[side].push((await sides[side]()).latencies)
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
      ] as const) {
        const of = (side: 'floor' | 'product') =>
          median(done[side].map(latencies => percentile(latencies, share)))
        figures.push({
          variant: `${lane}, ${name}`,
          unit: 'ms',
          floor: of('floor'),
          product: of('product'),
          mark: atMost(MARKS[lane][name]),
          cpu: {},
        })
      }
    }
    return figures
  },
}

import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import type { Figure } from './parts/figure'
import { atMost } from './parts/goal'
import { median, percentile } from './parts/rounds'
import type { BaselineJob } from './processes/baseline'
import type { ProberJob, ProberResult } from './processes/prober'

const PER_SECOND = 20
const MARKS = { 'on-retry': { p50: 3, p95: 4 }, every: { p50: 12, p95: 25 } }

export const latency: Bench = {
  name: 'latency',
  product: `request sent to webhook received, at ${PER_SECOND} events a second`,
  baseline: 'an Elysia route with one commit and one POST',
  run: async ({ servers, rounds, seconds }) => {
    const figures: Figure[] = []
    for (const lane of ['on-retry', 'every'] as const) {
      await using deployment = await createDeployment(servers)
      const { caller: tenant, databaseUrl, projectId } = deployment
      const prober = deployment.child<ProberJob, ProberResult>('prober')
      const { receiverUrl } = await prober.run('where')
      await deployment.webhook(receiverUrl)
      const baseline = deployment.child<BaselineJob, { url: string }>('baseline')
      const reference = await baseline.run({ databaseUrl, tenant, projectId, receiverUrl })
      const { url } = await deployment.serve()
      await deployment.worker(lane)
      const [key = ''] = await deployment.keys(1)
      const pace = { projectId, perSecond: PER_SECOND, seconds }
      const sides = {
        baseline: () => prober.run({ ...pace, url: `${reference.url}/relayed` }),
        product: () => prober.run({ ...pace, url: `${url}/api/public/v1/articles`, key }),
      }
      await sides.baseline()
      await sides.product()
      const done = { baseline: [] as number[][], product: [] as number[][] }
      for (let n = 0; n < rounds; n++)
        for (const side of ['baseline', 'product'] as const)
          done[side].push((await sides[side]()).latencies)
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
      ] as const) {
        const of = (side: 'baseline' | 'product') =>
          median(done[side].map(latencies => percentile(latencies, share)))
        figures.push({
          variant: `${lane}, ${name}`,
          unit: 'ms',
          baseline: of('baseline'),
          product: of('product'),
          goal: atMost(MARKS[lane][name]),
          cpu: {},
        })
      }
    }
    return figures
  },
}

import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import type { Figure } from './parts/figure'
import { ratioAtMost } from './parts/goal'
import { median, percentile, spread } from './parts/rounds'
import type { BaselineJob } from './processes/baseline'
import type { ProberJob, ProberResult } from './processes/prober'

const PER_SECOND = 20
/** The most of each percentile, as a ratio to the baseline; undefined: no goal. */
const CASES = [
  { lane: 'on-retry', isOneProcess: false, p50: 2, p95: 2.5 },
  { lane: 'on-retry', isOneProcess: true, p50: 2, p95: 2.5 },
  { lane: 'every', isOneProcess: false, p50: 5, p95: undefined },
  { lane: 'every', isOneProcess: true, p50: 5, p95: undefined },
] as const

export const latency: Bench = {
  name: 'latency',
  product: `request sent to webhook received, at ${PER_SECOND} events a second`,
  baseline: 'an Elysia route with one commit and one POST',
  run: async ({ servers, rounds, seconds }) => {
    const figures: Figure[] = []
    for (const { lane, isOneProcess, ...most } of CASES) {
      await using deployment = await createDeployment(servers)
      const { caller: tenant, databaseUrl, projectId } = deployment
      const prober = deployment.child<ProberJob, ProberResult>('prober')
      const { receiverUrl } = await prober.run('where')
      await deployment.webhook(receiverUrl)
      const baseline = deployment.child<BaselineJob, { url: string }>('baseline')
      const reference = await baseline.run({ databaseUrl, tenant, projectId, receiverUrl })
      const { url } = isOneProcess ? await deployment.both(lane) : await deployment.serve()
      if (!isOneProcess) await deployment.worker(lane)
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
          done[side].map(latencies => percentile(latencies, share))
        const [baseline, product] = [of('baseline'), of('product')]
        const goal = most[name]
        figures.push({
          variant: `${lane}, ${isOneProcess ? 'one process, ' : ''}${name}`,
          unit: 'ms',
          baseline: median(baseline),
          product: median(product),
          ratio: spread(product.map((ms, n) => ms / (baseline[n] ?? Number.NaN))),
          goal: goal === undefined ? undefined : ratioAtMost(goal),
          cpu: {},
        })
      }
    }
    return figures
  },
}

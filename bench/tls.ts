import type { Bench } from './bench'
import { createDeployment } from './parts/deployment'
import { ratioAtMost } from './parts/goal'
import { alternate, toCpuFigure } from './parts/rounds'
import type { TlsReceiver } from './processes/tls-receiver'
import type { TlsSenderJob } from './processes/tls-sender'

const REQUESTS = 10_000
const MANY = 2_000

/** What receivers with certificates cost a worker, name resolution included. */
export const tls: Bench = {
  name: 'tls',
  product:
    'POSTs over TLS to receivers whose names are resolved and whose certificates are verified',
  baseline: 'as many over plain HTTP, to one receiver on kept connections',
  run: async ({ servers, rounds, amount }) => {
    await using deployment = await createDeployment(servers)
    const receiver = deployment.child<'where', TlsReceiver>('tls-receiver')
    const sender = deployment.child<TlsSenderJob, { seconds: number }>('tls-sender')
    const to = await receiver.run('where')
    const measure = (job: Omit<TlsSenderJob, 'to'>) => async () => {
      const { seconds, cpu } = await deployment.cpu(async () => ({
        ...(await sender.run({ to, ...job })),
        operations: job.requests,
      }))
      return { value: job.requests / seconds, cpu }
    }
    const requests = amount(REQUESTS)
    const baseline = measure({ protocol: 'http', receivers: 1, requests, isFirst: false })
    const figures = []
    for (const receivers of [1, 100, MANY]) {
      const product = measure({ protocol: 'https', receivers, requests, isFirst: false })
      figures.push(
        toCpuFigure(await alternate(rounds, baseline, product), ['tls-sender'], {
          variant: `${receivers.toLocaleString('en')} receivers, connections kept`,
          goal: ratioAtMost(4),
        }),
      )
    }
    const first = measure({
      protocol: 'https',
      receivers: MANY,
      requests: Math.min(MANY, requests),
      isFirst: true,
    })
    figures.push(
      toCpuFigure(await alternate(rounds, baseline, first), ['tls-sender'], {
        variant: `${MANY.toLocaleString('en')} receivers, the first request to each`,
        goal: undefined,
      }),
    )
    return figures
  },
}

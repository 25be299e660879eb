import type { LoadTarget } from './api-auth'
import type { Bench, Context } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import { ratioAtLeast } from './parts/goal'
import { CONNECTIONS, measureRequests } from './parts/requests'
import { alternate, type Measure, toFigure } from './parts/rounds'
import type { BaselineJob } from './processes/baseline'
import type { LoadJob, LoadResult } from './processes/load'
import type { ReceiverStatus } from './processes/receiver'

export const apiWrite: Bench = {
  name: 'api-write',
  product: '`POST /articles` with one subscribed webhook: article, event and delivery, durable',
  baseline: 'an Elysia route that inserts the same article, durable',
  run: async ({ servers, rounds, seconds }) => {
    await using deployment = await createDeployment(servers)
    const { caller: tenant, databaseUrl, projectId } = deployment
    const baseline = deployment.child<BaselineJob, { url: string }>('baseline')
    const reference = await baseline.run({ databaseUrl, tenant, projectId })
    const receiver = deployment.child<'received', ReceiverStatus>('receiver')
    await deployment.webhook((await receiver.run('received')).url)
    const { url } = await deployment.serve()
    const load = deployment.child<LoadJob, LoadResult>('load')
    const done = await alternate(
      rounds,
      () =>
        measureRequests(deployment, load, {
          url: `${reference.url}/articles`,
          method: 'POST',
          body: newArticle(deployment),
          keys: [],
          connections: CONNECTIONS,
          seconds,
        }),
      measureWrite({ deployment, load, url, seconds }),
    )
    return [toFigure(done, { variant: '', unit: 'requests/s', goal: ratioAtLeast(0.6) })]
  },
}

export const measureWrite =
  ({ deployment, load, url, seconds }: LoadTarget & Pick<Context, 'seconds'>): Measure =>
  async () =>
    measureRequests(
      deployment,
      load,
      {
        url: `${url}/api/public/v1/articles`,
        method: 'POST',
        body: newArticle(deployment),
        keys: await deployment.keys(1),
        connections: CONNECTIONS,
        seconds,
      },
      [201],
    )

/** The body of a request that creates an article of 2 KB, the size of a short article. */
export const newArticle = ({ projectId }: Deployment): string =>
  JSON.stringify({ project_id: projectId, title: 'Measured', body: 'A sentence. '.repeat(170) })

import type { LoadTarget } from './api-auth'
import type { Bench, Context } from './bench'
import { createDeployment } from './parts/deployment'
import { fillArticles } from './parts/fill'
import { ratioAtLeast } from './parts/goal'
import { CONNECTIONS, measureRequests } from './parts/requests'
import { alternate, type Measure, toFigure } from './parts/rounds'
import type { BaselineJob } from './processes/baseline'
import type { LoadJob, LoadResult } from './processes/load'

const ARTICLES = 100_000

export const apiRead: Bench = {
  name: 'api-read',
  product: `\`GET /articles?limit=20\` over ${ARTICLES.toLocaleString('en')} articles`,
  baseline: 'an Elysia route with the same query',
  run: async ({ servers, rounds, seconds, amount }) => {
    await using deployment = await createDeployment(servers)
    const { sql, caller: tenant, databaseUrl, projectId } = deployment
    await fillArticles(sql, tenant, projectId, amount(ARTICLES))
    const baseline = deployment.child<BaselineJob, { url: string }>('baseline')
    const reference = await baseline.run({ databaseUrl, tenant, projectId })
    const { url } = await deployment.serve()
    const load = deployment.child<LoadJob, LoadResult>('load')
    const done = await alternate(
      rounds,
      () =>
        measureRequests(deployment, load, {
          url: `${reference.url}/articles`,
          keys: [],
          connections: CONNECTIONS,
          seconds,
        }),
      measureList({ deployment, load, url, seconds }),
    )
    return [toFigure(done, { variant: '', unit: 'requests/s', goal: ratioAtLeast(0.8) })]
  },
}

export const measureList =
  ({ deployment, load, url, seconds }: LoadTarget & Pick<Context, 'seconds'>): Measure =>
  async () =>
    measureRequests(deployment, load, {
      url: `${url}/api/public/v1/articles?limit=20`,
      keys: await deployment.keys(1),
      connections: CONNECTIONS,
      seconds,
    })

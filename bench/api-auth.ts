import type { Bench, Context } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import type { Figure } from './parts/figure'
import { ratioAtLeast } from './parts/goal'
import { CONNECTIONS, type LoadGenerator, measureRequests } from './parts/requests'
import { alternate, type Measure, toFigure } from './parts/rounds'
import type { BaselineJob } from './processes/baseline'
import type { LoadJob, LoadResult } from './processes/load'

/**
 * Load of baseline and product. With more callers, more requests share a round trip to the rate limit. The
 * number of keys is the lowest that stays below their limits.
 */
const CALLERS = [
  { connections: CONNECTIONS, keys: 1 },
  { connections: 4 * CONNECTIONS, keys: 2 },
]

/**
 * The overhead of a request: authentication, rate limit, and everything else that each request passes.
 */
export const apiAuth: Bench = {
  name: 'api-auth',
  product: '`GET /webhooks/events` with a key and its rate limit',
  baseline: 'an Elysia route with one `SELECT 1`',
  run: async ({ servers, rounds, seconds }) => {
    await using deployment = await createDeployment(servers)
    const { caller: tenant, databaseUrl, projectId } = deployment
    const baseline = deployment.child<BaselineJob, { url: string }>('baseline')
    const reference = await baseline.run({ databaseUrl, tenant, projectId })
    const { url } = await deployment.serve()
    const load = deployment.child<LoadJob, LoadResult>('load')
    const figures: Figure[] = []
    for (const { connections, keys } of CALLERS) {
      const done = await alternate(
        rounds,
        () =>
          measureRequests(deployment, load, {
            url: `${reference.url}/one`,
            keys: [],
            connections,
            seconds,
          }),
        measureAuth({ deployment, load, url, seconds, connections, keys }),
      )
      const variant = `${connections} callers`
      figures.push(toFigure(done, { variant, unit: 'requests/s', goal: ratioAtLeast(1.2) }))
    }
    return figures
  },
}

/** Creates new keys for each measurement, so that none reaches its limit. */
export const measureAuth =
  ({
    deployment,
    load,
    url,
    seconds,
    connections = CONNECTIONS,
    keys = 1,
  }: RequestOptions): Measure =>
  async () =>
    measureRequests(deployment, load, {
      url: `${url}/api/public/v1/webhooks/events`,
      keys: await deployment.keys(keys),
      connections,
      seconds,
    })

type RequestOptions = LoadTarget &
  Pick<Context, 'seconds'> & { connections?: number; keys?: number }

export type LoadTarget = { deployment: Deployment; load: LoadGenerator; url: string }

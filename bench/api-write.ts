import type { LoadTarget } from './api-auth'
import type { Bench, Context } from './bench'
import { createDeployment, type Deployment } from './parts/deployment'
import { ratioAtLeast } from './parts/goal'
import { CONNECTIONS, measureRequests } from './parts/requests'
import { alternate, type Measure, toFigure } from './parts/rounds'
import type { BaselineJob } from './processes/baseline'
import type { LoadJob, LoadResult } from './processes/load'
import type { ReceiverStatus } from './processes/receiver'

/** A request with an `Idempotency-Key` costs at most 1.25 x one without. */
const KEY_RATIO = 1 / 1.25

export const apiWrite: Bench = {
  name: 'api-write',
  product:
    '`POST /articles` with an `Idempotency-Key` and one subscribed webhook: article, event and delivery, durable',
  baseline:
    'an Elysia route that inserts the same article, durable; for a `POST /...` by name, the same requests without the key',
  run: async ({ servers, rounds, seconds }) => {
    await using deployment = await createDeployment(servers)
    const { caller: tenant, databaseUrl, projectId } = deployment
    const baseline = deployment.child<BaselineJob, { url: string }>('baseline')
    const reference = await baseline.run({ databaseUrl, tenant, projectId })
    const receiver = deployment.child<'received', ReceiverStatus>('receiver')
    await deployment.webhook((await receiver.run('received')).url)
    const { url } = await deployment.serve()
    const load = deployment.child<LoadJob, LoadResult>('load')
    const target = { deployment, load, url, seconds }
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
      measureWrite(target),
    )
    const about = { unit: 'requests/s' }
    const figures = [toFigure(done, { ...about, variant: '', goal: ratioAtLeast(0.6) })]
    for (const [path, body] of [
      ['/articles', newArticle(deployment)],
      ['/projects', JSON.stringify({ name: 'Measured' })],
    ] as const) {
      const rows = await alternate(
        rounds,
        measurePost(target, { path, body, idempotent: false }),
        measurePost(target, { path, body, idempotent: true }),
      )
      const goal = ratioAtLeast(KEY_RATIO)
      figures.push(toFigure(rows, { ...about, variant: `\`POST ${path}\``, goal }))
    }
    return figures
  },
}

type WriteTarget = LoadTarget & Pick<Context, 'seconds'>

export const measureWrite = (target: WriteTarget): Measure =>
  measurePost(target, { path: '/articles', body: newArticle(target.deployment), idempotent: true })

const measurePost =
  (
    { deployment, load, url, seconds }: WriteTarget,
    { path, ...request }: { path: string; body: string; idempotent: boolean },
  ): Measure =>
  async () =>
    measureRequests(
      deployment,
      load,
      {
        url: `${url}/api/public/v1${path}`,
        method: 'POST',
        ...request,
        keys: await deployment.keys(1),
        connections: CONNECTIONS,
        seconds,
      },
      [201],
    )

/** The body of a request that creates an article of 2 KB, the size of a short article. */
export const newArticle = ({ projectId }: Deployment): string =>
  JSON.stringify({ project_id: projectId, title: 'Measured', body: 'A sentence. '.repeat(170) })

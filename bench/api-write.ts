import type { Target } from './api-auth'
import type { Bench, Context } from './bench'
import { ratioAtLeast } from './parts/mark'
import { CONNECTIONS, turnOf } from './parts/requests'
import { createStage, type Stage } from './parts/stage'
import { figureOf, inTurns, type Side } from './parts/turns'
import type { FloorJob } from './processes/floor'
import type { Load, LoadJob } from './processes/load'
import type { ReceiverAnswer } from './processes/receiver'

export const apiWrite: Bench = {
  name: 'api-write',
  product: '`POST /articles` with one subscribed webhook: article, event and delivery, durable',
  floor: 'a bare route inserting the same article, durable',
  run: async ({ servers, rounds, seconds }) => {
    await using stage = await createStage(servers)
    const { caller: tenant, databaseUrl, projectId } = stage
    const floor = stage.child<FloorJob, { url: string }>('floor')
    const bare = await floor.ask({ databaseUrl, tenant, projectId })
    const receiver = stage.child<'received', ReceiverAnswer>('receiver')
    await stage.webhook((await receiver.ask('received')).url)
    const { url } = await stage.serve()
    const load = stage.child<LoadJob, Load>('load')
    const done = await inTurns(
      rounds,
      () =>
        turnOf(stage, load, {
          url: `${bare.url}/articles`,
          method: 'POST',
          body: newArticle(stage),
          keys: [],
          connections: CONNECTIONS,
          seconds,
        }),
      writing({ stage, load, url, seconds }),
    )
    return [figureOf(done, { variant: '', unit: 'requests/s', mark: ratioAtLeast(0.6) })]
  },
}

export const writing =
  ({ stage, load, url, seconds }: Target & Pick<Context, 'seconds'>): Side =>
  async () =>
    turnOf(
      stage,
      load,
      {
        url: `${url}/api/public/v1/articles`,
        method: 'POST',
        body: newArticle(stage),
        keys: await stage.keys(1),
        connections: CONNECTIONS,
        seconds,
      },
      [201],
    )

/** The body of a request that creates one: 2 KB, as a short article is. */
export const newArticle = ({ projectId }: Stage): string =>
  JSON.stringify({ project_id: projectId, title: 'Measured', body: 'A sentence. '.repeat(170) })

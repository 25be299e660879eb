import type { Target } from './api-auth'
import type { Bench, Context } from './bench'
import { fillArticles } from './parts/fill'
import { ratioAtLeast } from './parts/mark'
import { CONNECTIONS, turnOf } from './parts/requests'
import { createStage } from './parts/stage'
import { figureOf, inTurns, type Side } from './parts/turns'
import type { FloorJob } from './processes/floor'
import type { Load, LoadJob } from './processes/load'

const ARTICLES = 100_000

export const apiRead: Bench = {
  name: 'api-read',
  product: `\`GET /articles?limit=20\` over ${ARTICLES.toLocaleString('en')} articles`,
  floor: 'the same query alone in a bare route',
  run: async ({ servers, rounds, seconds, amount }) => {
    await using stage = await createStage(servers)
    const { sql, caller: tenant, databaseUrl, projectId } = stage
    await fillArticles(sql, tenant, projectId, amount(ARTICLES))
    const floor = stage.child<FloorJob, { url: string }>('floor')
    const bare = await floor.ask({ databaseUrl, tenant, projectId })
    const { url } = await stage.serve()
    const load = stage.child<LoadJob, Load>('load')
    const done = await inTurns(
      rounds,
      () =>
        turnOf(stage, load, {
          url: `${bare.url}/articles`,
          keys: [],
          connections: CONNECTIONS,
          seconds,
        }),
      listing({ stage, load, url, seconds }),
    )
    return [figureOf(done, { variant: '', unit: 'requests/s', mark: ratioAtLeast(0.8) })]
  },
}

export const listing =
  ({ stage, load, url, seconds }: Target & Pick<Context, 'seconds'>): Side =>
  async () =>
    turnOf(stage, load, {
      url: `${url}/api/public/v1/articles?limit=20`,
      keys: await stage.keys(1),
      connections: CONNECTIONS,
      seconds,
    })

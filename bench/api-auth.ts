import type { Bench, Context } from './bench'
import type { Figure } from './parts/figure'
import { ratioAtLeast } from './parts/mark'
import { CONNECTIONS, type LoadGenerator, turnOf } from './parts/requests'
import { createStage, type Stage } from './parts/stage'
import { figureOf, inTurns, type Side } from './parts/turns'
import type { FloorJob } from './processes/floor'
import type { Load, LoadJob } from './processes/load'

/**
 * Of floor and product alike. What waits for the limit shares its round trips: the more callers, the more of them.
 * As few keys as keep below their limits.
 */
const CALLERS = [
  { connections: CONNECTIONS, keys: 1 },
  { connections: 4 * CONNECTIONS, keys: 2 },
]

/** What a request costs that does nothing: the key, its limit, and what else every request passes. */
export const apiAuth: Bench = {
  name: 'api-auth',
  product: '`GET /webhooks/events` with a key, its limit counted',
  floor: 'a bare Elysia route doing one `SELECT 1`',
  run: async ({ servers, rounds, seconds }) => {
    await using stage = await createStage(servers)
    const { caller: tenant, databaseUrl, projectId } = stage
    const floor = stage.child<FloorJob, { url: string }>('floor')
    const bare = await floor.ask({ databaseUrl, tenant, projectId })
    const { url } = await stage.serve()
    const load = stage.child<LoadJob, Load>('load')
    const figures: Figure[] = []
    for (const { connections, keys } of CALLERS) {
      const done = await inTurns(
        rounds,
        () => turnOf(stage, load, { url: `${bare.url}/one`, keys: [], connections, seconds }),
        authenticated({ stage, load, url, seconds, connections, keys }),
      )
      const variant = `${connections} callers`
      figures.push(figureOf(done, { variant, unit: 'requests/s', mark: ratioAtLeast(1.2) }))
    }
    return figures
  },
}

/** Fresh keys for each turn: no turn reaches their limits. */
export const authenticated =
  ({ stage, load, url, seconds, connections = CONNECTIONS, keys = 1 }: Asked): Side =>
  async () =>
    turnOf(stage, load, {
      url: `${url}/api/public/v1/webhooks/events`,
      keys: await stage.keys(keys),
      connections,
      seconds,
    })

type Asked = Target & Pick<Context, 'seconds'> & { connections?: number; keys?: number }

export type Target = { stage: Stage; load: LoadGenerator; url: string }

import { hashValue } from '../src/keys/value'
import { measureAuth } from './api-auth'
import type { Bench } from './bench'
import { createDeployment, type Deployment, RATE_LIMIT } from './parts/deployment'
import { ratioAtLeast } from './parts/goal'
import { CONNECTIONS, measureRequests } from './parts/requests'
import { alternate, toFigure } from './parts/rounds'
import type { LoadJob, LoadResult } from './processes/load'

const KEYS = 1_000
/** Requests of the full key that leave its window each second. */
const FREED_PER_SECOND = 5_000

/**
 * Whether the cost of the rate limit depends on the number of keys and of requests in the window.
 */
export const manyKeys: Bench = {
  name: 'many-keys',
  product: `${KEYS.toLocaleString('en')} keys in rotation; one key with ${RATE_LIMIT.toLocaleString('en')} requests in its window`,
  baseline: 'one key far below its limit',
  run: async ({ servers, rounds, seconds, amount }) => {
    await using deployment = await createDeployment(servers)
    const { url } = await deployment.serve()
    const load = deployment.child<LoadJob, LoadResult>('load')
    const request = {
      url: `${url}/api/public/v1/webhooks/events`,
      connections: CONNECTIONS,
      seconds,
    }
    const one = measureAuth({ deployment, load, url, seconds })
    const keys = await deployment.keys(amount(KEYS))
    const many = await alternate(rounds, one, () =>
      measureRequests(deployment, load, { ...request, keys }),
    )
    const full = await alternate(rounds, one, async () =>
      measureRequests(
        deployment,
        load,
        { ...request, keys: [await fullKey(deployment, amount(RATE_LIMIT))] },
        [200, 429],
      ),
    )
    const about = { unit: 'requests/s', goal: ratioAtLeast(0.9) }
    return [
      toFigure(many, { ...about, variant: `${amount(KEYS).toLocaleString('en')} keys` }),
      toFigure(full, {
        ...about,
        variant: 'a full key',
        note: `${FREED_PER_SECOND.toLocaleString('en')} of its requests leave the window each second; requests beyond that get a 429`,
      }),
    ]
  },
}

/** A key with `requests` requests in its window; the first are about to leave it. */
const fullKey = async ({ sql, keys }: Deployment, requests: number): Promise<string> => {
  const [key = ''] = await keys(1)
  await sql`
    WITH hit AS (
      INSERT INTO api_key_hits (key_id, n, at)
      SELECT k.id, n, now() - interval '1 hour' + make_interval(secs => 1 + n::float8 / ${FREED_PER_SECOND})
      FROM api_keys k CROSS JOIN generate_series(1, ${requests}::int) AS n
      WHERE k.hash = ${hashValue(key)}
      RETURNING key_id, n, at
    )
    UPDATE api_key_windows w SET last_n = h.n, last_at = h.at
    FROM (SELECT key_id, max(n) AS n, max(at) AS at FROM hit GROUP BY key_id) h
    WHERE w.key_id = h.key_id`
  return key
}

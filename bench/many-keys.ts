import { hashValue } from '../src/keys/value'
import { authenticated } from './api-auth'
import type { Bench } from './bench'
import { ratioAtLeast } from './parts/mark'
import { CONNECTIONS, turnOf } from './parts/requests'
import { createStage, RATE_LIMIT, type Stage } from './parts/stage'
import { figureOf, inTurns } from './parts/turns'
import type { Load, LoadJob } from './processes/load'

const KEYS = 1_000
/** So many of a full key's requests leave the window each second while it is measured. */
const FREED_PER_SECOND = 5_000

/** Whether the limit costs more the more there is to count. */
export const manyKeys: Bench = {
  name: 'many-keys',
  product: `${KEYS.toLocaleString('en')} keys in turn; one key with ${RATE_LIMIT.toLocaleString('en')} requests in its window`,
  floor: 'one key far below its limit',
  run: async ({ servers, rounds, seconds, amount }) => {
    await using stage = await createStage(servers)
    const { url } = await stage.serve()
    const load = stage.child<LoadJob, Load>('load')
    const request = {
      url: `${url}/api/public/v1/webhooks/events`,
      connections: CONNECTIONS,
      seconds,
    }
    const one = authenticated({ stage, load, url, seconds })
    const keys = await stage.keys(amount(KEYS))
    const many = await inTurns(rounds, one, () => turnOf(stage, load, { ...request, keys }))
    const full = await inTurns(rounds, one, async () =>
      turnOf(
        stage,
        load,
        { ...request, keys: [await fullKey(stage, amount(RATE_LIMIT))] },
        [200, 429],
      ),
    )
    const about = { unit: 'requests/s', mark: ratioAtLeast(0.9) }
    return [
      figureOf(many, { ...about, variant: `${amount(KEYS).toLocaleString('en')} keys` }),
      figureOf(full, {
        ...about,
        variant: 'a full key',
        note: `${FREED_PER_SECOND.toLocaleString('en')} of its requests leave the window each second; what is above that is answered 429`,
      }),
    ]
  },
}

/** A key that has made `made` requests, of which the first are about to be an hour old. */
const fullKey = async ({ sql, keys }: Stage, made: number): Promise<string> => {
  const [key = ''] = await keys(1)
  await sql`
    WITH hit AS (
      INSERT INTO api_key_hits (key_id, n, at)
      SELECT k.id, n, now() - interval '1 hour' + make_interval(secs => 1 + n::float8 / ${FREED_PER_SECOND})
      FROM api_keys k CROSS JOIN generate_series(1, ${made}::int) AS n
      WHERE k.hash = ${hashValue(key)}
      RETURNING key_id, n, at
    )
    UPDATE api_key_windows w SET last_n = h.n, last_at = h.at
    FROM (SELECT key_id, max(n) AS n, max(at) AS at FROM hit GROUP BY key_id) h
    WHERE w.key_id = h.key_id`
  return key
}

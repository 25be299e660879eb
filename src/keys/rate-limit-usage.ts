import type { Db } from '../db/connect'
import { RATE_LIMIT_WINDOW_S } from '../http/request/admission'
import type { KeyVisibility } from './visibility'

/** Accepted requests in the hour that ends now, by key. */
export type RateLimitUsage = { [id: string]: number }

/** How much of their limits the active keys within a reach have used. */
export const listRateLimitUsage = async (
  db: Db,
  { accountId, modes }: KeyVisibility,
): Promise<RateLimitUsage> => {
  // Hits are numbered without gaps (functions/admit.sql): the first one of the hour tells how many there are.
  const rows = await db<{ id: string; used: number }[]>`
    SELECT k.id, w.last_n - first.n + 1 AS used
    FROM api_keys k JOIN api_key_windows w ON w.key_id = k.id,
      LATERAL (
        SELECT h.n FROM api_key_hits h
        WHERE h.key_id = k.id AND h.n >= w.first_n AND h.at > clock_timestamp() - make_interval(secs => ${RATE_LIMIT_WINDOW_S})
        ORDER BY h.n LIMIT 1
      ) first
    WHERE k.account_id = ${accountId} AND k.mode = ANY (${modes as string[]})
      AND key_status(k.revoked_at, k.expires_at, clock_timestamp()) = 'active'`
  return Object.fromEntries(rows.map(({ id, used }) => [id, used]))
}

import type { Db } from '../db/connect'
import { RATE_LIMIT_WINDOW_S } from '../http/request/admission'
import { keyStatus } from './status'
import type { KeyVisibility } from './visibility'

/** Accepted requests of the last 60 minutes, by key id. A key without any is missing. */
export type RateLimitUsage = { [id: string]: number }

/** The part of its rate limit that each visible active key has used. */
export const listRateLimitUsage = async (
  db: Db,
  { accountId, modes }: KeyVisibility,
): Promise<RateLimitUsage> => {
  // Hits are numbered without gaps (functions/admit.sql), so the first one of the hour gives their count.
  const rows = await db<{ id: string; used: number }[]>`
    SELECT k.id, w.last_n - first.n + 1 AS used
    FROM api_keys k JOIN api_key_windows w ON w.key_id = k.id,
      LATERAL (
        SELECT h.n FROM api_key_hits h
        WHERE h.key_id = k.id AND h.n >= w.first_n
          AND h.at > clock_timestamp() - make_interval(secs => ${RATE_LIMIT_WINDOW_S})
        ORDER BY h.n LIMIT 1
      ) first
    WHERE k.account_id = ${accountId} AND k.mode = ANY (${modes as string[]})
      AND ${keyStatus(db)} = 'active'`
  return Object.fromEntries(rows.map(({ id, used }) => [id, used]))
}

import type { Mode } from '../caller'
import type { Sql } from '../db/connect'
import type { Admit } from '../http/request/admission'

/** How often a process adds what it has counted, in ms. */
const EVERY_MS = 2_000

type Count = { accountId: string; mode: Mode; hour: number; accepted: number; refused: number }

export type RequestCounter = {
  /** `admit`, and its answers are counted. */
  countRequests: (admit: Admit) => Admit
  /** Adds what is left, and counts no more. */
  stop: () => Promise<void>
}

/**
 * Counts accepted requests and 429s by account and hour, for the dashboard's charts. A request waits for
 * nothing: the counts are in memory and reach Postgres every 2 s. What cannot be added is added later.
 */
export const createRequestCounter = (sql: Sql): RequestCounter => {
  let counts = new Map<string, Count>()
  let adding = Promise.resolve()
  const keep = (one: Count) => {
    const key = `${one.accountId} ${one.mode} ${one.hour}`
    const known = counts.get(key) ?? { ...one, accepted: 0, refused: 0 }
    known.accepted += one.accepted
    known.refused += one.refused
    counts.set(key, known)
  }
  const flush = () => {
    adding = adding.then(async () => {
      const taken = [...counts.values()]
      counts = new Map()
      await add(sql, taken).catch(() => taken.forEach(keep))
    })
    return adding
  }
  const timer = setInterval(() => counts.size > 0 && flush(), EVERY_MS)
  timer.unref()
  return {
    countRequests: admit => async value => {
      const admission = await admit(value)
      if ('caller' in admission) {
        const { accountId, mode } = admission.caller
        const accepted = admission.outcome === 'accepted' ? 1 : 0
        keep({ accountId, mode, hour: hourOf(Date.now()), accepted, refused: 1 - accepted })
      }
      return admission
    },
    stop: () => {
      clearInterval(timer)
      return flush()
    },
  }
}

const HOUR_MS = 3_600_000
const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS

const add = async (sql: Sql, counts: Count[]): Promise<void> => {
  if (counts.length === 0) return
  // In one order everywhere, so that no two processes wait for each other.
  await sql`
    INSERT INTO request_hours AS h (account_id, mode, hour, accepted, refused)
    SELECT * FROM unnest(
      ${counts.map(({ accountId }) => accountId)}::text[], ${counts.map(({ mode }) => mode)}::text[],
      ${counts.map(({ hour }) => new Date(hour).toISOString())}::timestamptz[],
      ${counts.map(({ accepted }) => accepted)}::bigint[],
      ${counts.map(({ refused }) => refused)}::bigint[]
    ) AS counted (account_id, mode, hour, accepted, refused)
    ORDER BY account_id, mode, hour
    ON CONFLICT (account_id, mode, hour) DO UPDATE
      SET accepted = h.accepted + EXCLUDED.accepted, refused = h.refused + EXCLUDED.refused`
}

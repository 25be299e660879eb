import type { Mode } from '../caller'
import type { Sql } from '../db/connect'
import type { Admit } from '../http/request/admission'

/** How often a process writes its counts to the database, in ms. */
const FLUSH_INTERVAL_MS = 2_000

type Count = { accountId: string; mode: Mode; hour: number; accepted: number; refused: number }

type RequestCounter = {
  /** Wraps `admit` so that its outcomes are counted. */
  countRequests: (admit: Admit) => Admit
  /** Writes the remaining counts and stops the timer. */
  stop: () => Promise<void>
}

/**
 * Counts accepted requests and 429s by account, mode and hour for the charts of the dashboard. Counts are kept in
 * memory and written every 2 s, so no request waits for them. A failed write is repeated with the next one.
 */
export const createRequestCounter = (sql: Sql): RequestCounter => {
  let counts = new Map<string, Count>()
  let writing = Promise.resolve()
  const add = (count: Count) => {
    const key = `${count.accountId} ${count.mode} ${count.hour}`
    const sum = counts.get(key) ?? { ...count, accepted: 0, refused: 0 }
    sum.accepted += count.accepted
    sum.refused += count.refused
    counts.set(key, sum)
  }
  const flush = () => {
    writing = writing.then(async () => {
      const pending = [...counts.values()]
      counts = new Map()
      await writeCounts(sql, pending).catch(() => pending.forEach(add))
    })
    return writing
  }
  const timer = setInterval(() => counts.size > 0 && flush(), FLUSH_INTERVAL_MS)
  timer.unref()
  return {
    countRequests: admit => async value => {
      const admission = await admit(value)
      if ('caller' in admission) {
        const { accountId, mode } = admission.caller
        const accepted = admission.outcome === 'accepted' ? 1 : 0
        add({ accountId, mode, hour: hourOf(Date.now()), accepted, refused: 1 - accepted })
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

const writeCounts = async (sql: Sql, counts: Count[]): Promise<void> => {
  if (counts.length === 0) return
  // Every process inserts in the same order, so that two of them cannot deadlock.
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

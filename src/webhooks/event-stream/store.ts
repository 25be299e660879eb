/**
 * The events of a tenant in the order of their commits (docs/architecture.md, "Commit order"). Ids and times do
 * not follow it: who reads by them misses what commits late. So it is by (xid, id), and only below the oldest
 * transaction that is still open: nothing can appear there any more.
 */
import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { isId, lowestIdAt } from '../../ids'
import { isTestEvent } from '../event-log/store'
import { EVENT_TYPES, type EventType } from '../events/types'

/** A place in that order: after the event `id` of the transaction `xid`, or before all of it when `id` is ''. */
export type Position = { xid: string; id: string }

/** As it stands in `id:` and `Last-Event-ID`, opaque to clients. */
export const formatPosition = ({ xid, id }: Position): string => `${xid}.${id}`

/** Undefined for a text that `formatPosition` never made. */
export const parsePosition = (text: string): Position | undefined => {
  const [, xid, id] = /^(\d{1,19})\.(\w*)$/.exec(text) ?? []
  if (xid === undefined || id === undefined) return undefined
  return id === '' || isId('evt', id) ? { xid, id } : undefined
}

/** The end: before whatever commits from now on. */
export const currentPosition = async (sql: Sql): Promise<Position> => {
  const [now] = await sql<[{ xid: string }]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid`
  return before(now.xid)
}

/** Clocks of different machines may be so far apart, in ms. */
export const MAX_CLOCK_SKEW_MS = 60_000

/**
 * Before the transaction `xid`, to a client that has all until now: after any event that the one before it can
 * have. So the place tells its time, as an event's does (stream-gap.ts).
 */
const before = (xid: string): Position => ({
  xid: String(BigInt(xid) - 1n),
  id: lowestIdAt('evt', new Date(Date.now() + MAX_CLOCK_SKEW_MS)),
})

/** The event's type, and its envelope as it is delivered. */
export type StreamedEvent = { position: Position; type: EventType; body: string }

export type Read = {
  events: StreamedEvent[]
  /** Where to go on. */
  end: Position
  /** There is more to read now; else what follows has yet to happen. */
  more: boolean
  /** Some have committed that cannot be read yet, because an older transaction is still open. */
  hidden: boolean
}

/** Events in one read: what a stream holds in memory at most. */
const PAGE = 100

/**
 * Of the 100 events that follow `after`, those of the `types`, and no samples: these are for the one webhook that
 * was to be tried, and nothing in the envelope tells that they did not happen. What a read costs depends on
 * neither how much has happened nor how much of it the types leave out: it is one range of the index, in its
 * order. An EXISTS for what is hidden, or the types as a condition, made PostgreSQL read the whole table (230 ms
 * of 600,000).
 */
export const readEvents = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  after: Position,
  types: readonly EventType[] = EVENT_TYPES,
): Promise<Read> => {
  const rows = await sql<Row[]>`
    WITH now AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest)
    SELECT oldest::text, e.id, e.xid::text, e.type, e.xid < oldest AS settled,
      CASE WHEN e.xid < oldest AND e.type = ANY (${types as string[]})
        AND NOT ${isTestEvent(sql, sql`e.id`)} THEN e.body END AS body
    FROM now LEFT JOIN LATERAL (
      SELECT id, xid, type, body FROM events
      WHERE account_id = ${accountId} AND mode = ${mode}
        AND (xid, id) > (${after.xid}::xid8, ${after.id})
      ORDER BY xid, id LIMIT ${PAGE}
    ) e ON true
    ORDER BY e.xid, e.id`
  const found = rows.flatMap(row => (row.id === null ? [] : [row]))
  const last = found.at(-1)
  const hidden = last !== undefined && !last.settled
  const more = found.length === PAGE && !hidden
  const [first] = rows
  return {
    events: found.flatMap(({ id, xid, type, body }) =>
      body === null ? [] : [{ position: { xid, id }, type, body }],
    ),
    // With all of them read, the next read begins at the oldest transaction that is still open.
    end: more && last ? { xid: last.xid, id: last.id } : first ? before(first.oldest) : after,
    more,
    hidden,
  }
}

type Row = { oldest: string } & (
  | { id: string; xid: string; type: EventType; settled: boolean; body: string | null }
  | { id: null }
)

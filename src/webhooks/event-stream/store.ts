/**
 * The events of a tenant in commit order (contract 5.16; docs/architecture.md, "Commit order"). Ids and timestamps
 * do not follow it: reading by them would miss events that commit late. Events are read by (xid, id), and only
 * below the oldest open transaction, where no more events can appear.
 */
import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { isId, lowestIdAt } from '../../ids'
import { isTestEvent } from '../event-log/store'
import { EVENT_TYPES, type EventType } from '../events/types'

/** A position in commit order: after event `id` of transaction `xid`, or before that transaction when `id` is ''. */
export type StreamPosition = { xid: string; id: string }

/** The text for `id:` and `Last-Event-ID`, opaque to clients. */
export const formatPosition = ({ xid, id }: StreamPosition): string => `${xid}.${id}`

/** Undefined for text that `formatPosition` cannot have returned. */
export const parsePosition = (text: string): StreamPosition | undefined => {
  const [, xid, id] = /^(\d{1,19})\.(\w*)$/.exec(text) ?? []
  if (xid === undefined || id === undefined) return undefined
  return id === '' || isId('evt', id) ? { xid, id } : undefined
}

/** The position before everything that commits from now on. */
export const currentPosition = async (sql: Sql): Promise<StreamPosition> => {
  const [now] = await sql<[{ xid: string }]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid`
  return positionBefore(now.xid)
}

/** Clock skew between machines, in ms. */
export const MAX_CLOCK_SKEW_MS = 60_000

/**
 * The position before transaction `xid`, for a client that has received everything until now: after every event of
 * the previous transaction. Its id carries the current time, which gap.ts reads.
 */
const positionBefore = (xid: string): StreamPosition => ({
  xid: String(BigInt(xid) - 1n),
  id: lowestIdAt('evt', new Date(Date.now() + MAX_CLOCK_SKEW_MS)),
})

/** `body`: the envelope as webhooks get it. */
export type StreamedEvent = { position: StreamPosition; type: EventType; body: string }

type EventPage = {
  events: StreamedEvent[]
  /** Where the next page begins. */
  end: StreamPosition
  /** More events can be read now. */
  more: boolean
  /** Committed events cannot be read yet, because an older transaction is open. */
  hidden: boolean
}

/** Events in one page: what a stream holds in memory at most. */
const PAGE = 100

/**
 * Reads the 100 events after a position and returns those of `types`, without test samples: their envelope does not
 * show that they are samples. One range of an index, whatever the types exclude. With the types as a condition, or
 * EXISTS for hidden events, PostgreSQL read the full table (230 ms for 600,000 events).
 */
export const readEvents = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  after: StreamPosition,
  types: readonly EventType[] = EVENT_TYPES,
): Promise<EventPage> => {
  const rows = await sql<StreamRow[]>`
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
    // After the last event, the next page begins at the oldest open transaction.
    end:
      more && last ? { xid: last.xid, id: last.id } : first ? positionBefore(first.oldest) : after,
    more,
    hidden,
  }
}

type StreamRow = { oldest: string } & (
  | { id: string; xid: string; type: EventType; settled: boolean; body: string | null }
  | { id: null }
)

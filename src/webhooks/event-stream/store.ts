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
export type StreamPosition = {
  /** The history that `xid` belongs to; undefined in positions of an earlier version of Arden. */
  epoch?: string | undefined
  xid: string
  id: string
}

/** The text for `id:` and `Last-Event-ID`, opaque to clients. */
export const formatPosition = ({ epoch, xid, id }: StreamPosition): string =>
  `${epoch === undefined ? '' : `${epoch}.`}${xid}.${id}`

/** What clients may send as `Last-Event-ID`; an empty header is none. */
export const POSITION_PATTERN =
  '^(([0-9a-f]{8}\\.)?\\d{1,19}\\.(evt_[0-7][0-9a-hjkmnp-tv-z]{25})?)?$'

/** Undefined for text that `formatPosition` cannot have returned. */
export const parsePosition = (text: string): StreamPosition | undefined => {
  const [, epoch, xid, id] = /^(?:([0-9a-f]{8})\.)?(\d{1,19})\.(\w*)$/.exec(text) ?? []
  if (xid === undefined || id === undefined) return undefined
  return id === '' || isId('evt', id) ? { epoch, xid, id } : undefined
}

/**
 * A name for the history of transactions of the database cluster. It changes when a standby is promoted, which may
 * lack the last commits and gives their transaction numbers to others, and when a backup is restored. 0.1 ms.
 */
const epoch = (sql: Sql) => sql`
  (SELECT left(encode(sha256(convert_to(system_identifier
      || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), 'UTF8')), 'hex'), 8)
    FROM pg_control_system())`

/** The position before everything that commits from now on. */
export const currentPosition = async (sql: Sql): Promise<StreamPosition> => {
  const [now] = await sql<[{ xid: string; epoch: string }]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid, ${epoch(sql)} AS epoch`
  return positionBefore(now.xid, now.epoch)
}

/**
 * The position before the first event of a tenant that was recorded at `time` or later: for positions whose
 * transaction numbers mean nothing any more. Undefined where there is no such event.
 */
export const positionAt = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  time: Date,
): Promise<StreamPosition | undefined> => {
  const id = lowestIdAt('evt', time)
  const [first] = await sql<[{ xid: string; epoch: string }?]>`
    SELECT xid::text, ${epoch(sql)} AS epoch FROM events
    WHERE account_id = ${accountId} AND mode = ${mode} AND id >= ${id} ORDER BY id LIMIT 1`
  return first && { ...first, id }
}

/** Clock skew between machines, in ms. */
export const MAX_CLOCK_SKEW_MS = 60_000

/**
 * The position before transaction `xid`, for a client that has received everything until now: after every event of
 * the previous transaction. Its id carries the current time, which gap.ts reads.
 */
const positionBefore = (xid: string, epoch: string): StreamPosition => ({
  epoch,
  xid: String(BigInt(xid) - 1n),
  id: lowestIdAt('evt', new Date(Date.now() + MAX_CLOCK_SKEW_MS)),
})

/** `body`: the envelope as webhooks get it. */
export type StreamedEvent = { position: StreamPosition; type: EventType; body: string }

type EventPage = {
  events: StreamedEvent[]
  /** Where the next page begins. With another epoch than the one read from, the events do not continue it. */
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
    WITH now AS MATERIALIZED (
      SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest, ${epoch(sql)} AS epoch
    )
    SELECT oldest::text, epoch, e.id, e.xid::text, e.type, e.xid < oldest AS settled,
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
    events: found.flatMap(({ epoch, id, xid, type, body }) =>
      body === null ? [] : [{ position: { epoch, xid, id }, type, body }],
    ),
    // After the last event, the next page begins at the oldest open transaction.
    end:
      more && last
        ? { epoch: last.epoch, xid: last.xid, id: last.id }
        : first
          ? positionBefore(first.oldest, first.epoch)
          : after,
    more,
    hidden,
  }
}

type StreamRow = { oldest: string; epoch: string } & (
  | { id: string; xid: string; type: EventType; settled: boolean; body: string | null }
  | { id: null }
)

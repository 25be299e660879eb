/**
 * The events of a tenant in the order of their commits (design, "Order"). Ids and times do not follow it:
 * who reads by them misses what commits late. So it is by (xid, id), and only below the oldest transaction
 * that is still open: nothing can appear there any more.
 */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import { isId } from '../ids'
import { EVENT_TYPES, type EventType } from './event-types'

/** A place in that order: after the event `id` of the transaction `xid`, or before all of it when `id` is ''. */
export type Position = { xid: string; id: string }

/** As it stands in `id:` and `Last-Event-ID`, opaque to clients. */
export const writePosition = ({ xid, id }: Position): string => `${xid}.${id}`

/** Undefined for a text that `writePosition` never made. */
export const readPosition = (text: string): Position | undefined => {
  const [, xid, id] = /^(\d{1,19})\.(\w*)$/.exec(text) ?? []
  if (xid === undefined || id === undefined) return undefined
  return id === '' || isId('evt', id) ? { xid, id } : undefined
}

/** The end: before whatever commits from now on. */
export const currentPosition = async (sql: Sql): Promise<Position> => {
  const [now] = await sql<[{ xid: string }]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid`
  return { xid: now.xid, id: '' }
}

/** The event's type, and its envelope as it is delivered. */
export type StreamedEvent = { position: Position; type: EventType; body: string }

export type Read = {
  events: StreamedEvent[]
  /** Where to go on. */
  end: Position
  /** Some have committed that cannot be read yet, because an older transaction is still open. */
  hidden: boolean
}

/** Events in one read: what a stream holds in memory at most. */
const PAGE = 100

/** What follows `after`, of the `types` alone; what there is of it, or the first 100. */
export const readEvents = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  after: Position,
  types: readonly EventType[] = EVENT_TYPES,
): Promise<Read> => {
  const rows = await sql<Row[]>`
    WITH now AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest)
    SELECT oldest::text, e.id, e.xid::text, e.type, e.body,
      EXISTS (
        SELECT FROM events WHERE account_id = ${accountId} AND mode = ${mode} AND xid >= oldest
      ) AS hidden
    FROM now LEFT JOIN LATERAL (
      SELECT id, xid, type, body FROM events
      WHERE account_id = ${accountId} AND mode = ${mode} AND type = ANY (${types as string[]})
        AND (xid, id) > (${after.xid}::xid8, ${after.id}) AND xid < oldest
      ORDER BY xid, id LIMIT ${PAGE}
    ) e ON true
    ORDER BY e.xid, e.id`
  const events = rows.flatMap(({ id, xid, type, body }) =>
    id === null ? [] : [{ position: { xid, id }, type, body }],
  )
  const last = events.at(-1)
  const [first] = rows
  // With all of them read, also those that the filter left out need not be read again.
  const end = events.length < PAGE && first ? { xid: first.oldest, id: '' } : last?.position
  return { events, end: end ?? after, hidden: first?.hidden ?? false }
}

type Row = { oldest: string; hidden: boolean } & (
  | { id: string; xid: string; type: EventType; body: string }
  | { id: null; xid: null; type: null; body: null }
)

import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { indexableEq } from '../../db/page'
import { idTimestamp, lowestIdAt } from '../../ids'
import type { Delivery } from '../deliveries/schema'
import { belongsToEvent } from '../events/record'
import type { EventType } from '../events/types'

/**
 * Events that are searched, the newest since the record was created. There is no index of records: every event would
 * pay for it.
 */
const SEARCHED_MAX = 50_000
const FOUND_MAX = 20
/** An id is made some ms before the events of its record, perhaps by another process. */
const ID_MARGIN_MS = 60_000

export type EventAbout = {
  id: string
  event: EventType
  created_at: string
  deliveries: Pick<Delivery, 'id' | 'webhook_id' | 'status'>[]
}

/** The newest events of the tenant whose `data` names the record, with their deliveries. */
export const listEventsAbout = async (
  sql: Sql,
  { accountId, mode }: Tenant,
  recordId: string,
): Promise<EventAbout[]> => {
  const createdAt = idTimestamp(recordId)
  if (createdAt === undefined) return []
  const rows = await sql<(Omit<EventAbout, 'created_at'> & { created_at: Date })[]>`
    SELECT e.id, e.type AS event, e.created_at, d.deliveries FROM (
      SELECT id, type, created_at FROM (
        SELECT id, type, body, created_at FROM events
        WHERE account_id = ${indexableEq(sql, accountId)} AND mode = ${mode}
          AND id >= ${lowestIdAt('evt', new Date(createdAt.getTime() - ID_MARGIN_MS))}
        ORDER BY account_id, id DESC LIMIT ${SEARCHED_MAX}
      ) newest
      WHERE strpos(body, ${JSON.stringify(recordId)}) > 0
      ORDER BY id DESC LIMIT ${FOUND_MAX}
    ) e, LATERAL (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'webhook_id', webhook_id, 'status', status) ORDER BY id DESC), '[]') AS deliveries
      FROM deliveries WHERE ${belongsToEvent(sql, sql`e.id`)}
    ) d
    ORDER BY e.id DESC`
  return rows.map(row => ({ ...row, created_at: row.created_at.toISOString() }))
}

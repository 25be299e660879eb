import type { Mode, Tenant } from '../../caller'
import type { Db, Fragment, Sql } from '../../db/connect'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import {
  indexableEq,
  type PageRequest,
  type PageResult,
  readBodiesWithCachedPlan,
} from '../../db/page'
import { notFound } from '../../errors'
import { isId } from '../../ids'
import { listEventDeliveries } from '../deliveries/store'
import { belongsToEvent } from '../events/record'
import type { EventType } from '../events/types'
import type { Event, EventDetail } from './schema'

type EventFilter = CreatedBetween & { event?: EventType }

/** A page of the tenant's events that match, newest first, including those without a delivery (contract 5.15). */
export const listEvents = async (
  sql: Sql,
  tenant: Tenant,
  filter: EventFilter,
  page: PageRequest,
): Promise<PageResult<Event>> => {
  const select = (body: Fragment) => sql`
    SELECT id, type, mode, ${body} AS body, created_at, ${isTestEvent(sql, sql`events.id`)} AS test
    FROM events
    WHERE account_id = ${indexableEq(sql, tenant.accountId)} AND mode = ${tenant.mode}
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
      ${filter.event === undefined ? sql`` : sql`AND type = ${filter.event}`}
      ${createdBetween(sql, filter, 'evt')}
    ORDER BY account_id, id DESC`
  const list = { select, body: sql`body`, member: 'data' } as const
  return readBodiesWithCachedPlan(sql, list, page, toEvent)
}

/** An event with its deliveries. @throws {DomainError} NOT_FOUND. */
export const getEvent = async (sql: Sql, tenant: Tenant, id: string): Promise<EventDetail> => {
  const [row] = isId('evt', id)
    ? await sql<EventRow[]>`
        SELECT id, type, mode, body, created_at, ${isTestEvent(sql, sql`events.id`)} AS test FROM events
        WHERE id = ${id} AND account_id = ${tenant.accountId} AND mode = ${tenant.mode}`
    : []
  if (row === undefined) throw notFound('event', id)
  return { ...toEvent(row), deliveries: await listEventDeliveries(sql, tenant, id) }
}

type EventRow = {
  id: string
  type: EventType
  mode: Mode
  body: string
  created_at: Date
  test: boolean
}

/** SQL condition: the event is a sample of the test endpoint. Its one delivery has the mark. */
export const isTestEvent = (db: Db, id: Fragment) =>
  db`EXISTS (SELECT FROM deliveries WHERE ${belongsToEvent(db, id)} AND test)`

const toEvent = (row: EventRow): Event => ({
  id: row.id,
  event: row.type,
  // The envelope of contract 4.7, written by events/record.ts.
  data: (JSON.parse(row.body) as { data: Event['data'] }).data,
  test: row.test,
  test_mode: row.mode === 'test',
  created_at: row.created_at.toISOString(),
})

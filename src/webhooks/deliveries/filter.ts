import type { Tenant } from '../../caller'
import type { Db, Fragment } from '../../db/connect'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import { belongsToEvent } from '../events/record'
import type { EventType } from '../events/types'
import { type Newest, newestQueued } from './newest-queued'
import type { Delivery } from './schema'

/** The filters of a list of deliveries (contract 5.10). */
export type DeliveryFilter = CreatedBetween & {
  status?: Delivery['status']
  event?: EventType
  webhook_id?: string
  /** The exact error text of the record. */
  error?: string
  /** The id of a delivery, an event, a webhook or a workflow. */
  id?: string
}

/**
 * SQL condition on `deliveries`: those of the tenant that match the filter, or at least the `newest` of them. PostgreSQL
 * uses the index of failures only where the query repeats its condition.
 */
export const matchDeliveries = (
  db: Db,
  tenant: Tenant,
  { id, ...filter }: DeliveryFilter,
  newest?: Newest,
): Fragment => {
  const { webhook_id, status } = filter
  const searched = id === undefined ? undefined : toSearchedId(id)
  if (searched?.column === 'webhook_id' && webhook_id === undefined)
    return matchDeliveries(db, tenant, { ...filter, webhook_id: searched.id }, newest)
  return db`
    account_id = ${tenant.accountId} AND mode = ${tenant.mode}
    ${webhook_id === undefined ? db`` : db`AND webhook_id = ${webhook_id}`}
    ${status === undefined ? db`` : db`AND status = ${status}`}
    ${status === 'FAILED' ? db`AND error IS NOT NULL` : db``}
    ${searched === undefined ? db`` : db`AND ${hasId(db, searched)}`}
    ${status === 'RETRYING' && searched === undefined ? db`AND ${isQueued(db, tenant, filter, newest)}` : db``}
    ${matchOthers(db, filter)}`
}

/** What the queue does not have. */
const matchOthers = (db: Db, { event, error, ...filter }: DeliveryFilter): Fragment => db`
  ${event === undefined ? db`` : db`AND event_type = ${event}`}
  ${error === undefined ? db`` : db`AND error = ${error}`}
  ${createdBetween(db, filter, 'dlv')}`

/**
 * The queue finds the deliveries that are not final: no index of `deliveries` does (docs/decisions/database.md, "The
 * queue"). As an array, which is read once; a join would be planned by how many there were when the table was analyzed.
 */
const isQueued = (db: Db, tenant: Tenant, filter: DeliveryFilter, newest: Newest | undefined) => {
  const { webhook_id, status: _, ...others } = filter
  if (newest !== undefined) {
    const matching =
      Object.keys(others).length === 0 ? undefined : db`true ${matchOthers(db, others)}`
    return db`id = ANY (ARRAY(${newestQueued(db, tenant, filter, matching, newest)}))`
  }
  return db`
    id = ANY (ARRAY(
      SELECT delivery_id FROM delivery_queue
      WHERE account_id = ${tenant.accountId}
        ${webhook_id === undefined ? db`` : db`AND webhook_id = ${webhook_id}`}
    ))`
}

type SearchedId = { column: 'id' | 'webhook_id' | 'event_id' | undefined; id: string }

const COLUMNS = new Map<string, SearchedId['column']>([
  ['dlv', 'id'],
  ['wh', 'webhook_id'],
  ['evt', 'event_id'],
])

/** The column to search follows from the prefix of the id, so that an index is used. */
const toSearchedId = (text: string): SearchedId => {
  // A workflow id contains the delivery id (workflow-id.ts).
  const id =
    text
      .trim()
      .replace(/^delivery:/, '')
      .split(':', 1)[0] ?? ''
  return { column: COLUMNS.get(id.split('_')[0] ?? ''), id }
}

const hasId = (db: Db, { column, id }: SearchedId): Fragment => {
  if (column === undefined) return db`false`
  return column === 'event_id' ? belongsToEvent(db, id) : db`${db(column)} = ${id}`
}

import type { Tenant } from '../../caller'
import type { Db, Fragment } from '../../db/connect'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import { belongsToEvent } from '../events/record'
import type { EventType } from '../events/types'
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
 * SQL condition on `deliveries`: those of the tenant that match the filter. PostgreSQL uses the index of failures only
 * where the query repeats its condition.
 */
export const matchDeliveries = (db: Db, tenant: Tenant, filter: DeliveryFilter): Fragment => {
  const { webhook_id, status, event, error, id } = filter
  return db`
    account_id = ${tenant.accountId} AND mode = ${tenant.mode}
    ${webhook_id === undefined ? db`` : db`AND webhook_id = ${webhook_id}`}
    ${status === undefined ? db`` : db`AND status = ${status}`}
    ${status === 'FAILED' ? db`AND error IS NOT NULL` : db``}
    ${status === 'RETRYING' ? db`AND ${isQueued(db, tenant, webhook_id)}` : db``}
    ${event === undefined ? db`` : db`AND event_type = ${event}`}
    ${error === undefined ? db`` : db`AND error = ${error}`}
    ${id === undefined ? db`` : db`AND ${hasId(db, id)}`}
    ${createdBetween(db, filter, 'dlv')}`
}

/**
 * The queue finds the deliveries that are not final: no index of `deliveries` does (docs/decisions/database.md, "The
 * queue"). As an array, which is read once; a join would be planned by how many there were when the table was analyzed.
 */
const isQueued = (db: Db, { accountId }: Tenant, webhookId: string | undefined) => db`
  id = ANY (ARRAY(
    SELECT delivery_id FROM delivery_queue
    WHERE account_id = ${accountId} ${webhookId === undefined ? db`` : db`AND webhook_id = ${webhookId}`}
  ))`

const COLUMNS: { [prefix: string]: string } = { dlv: 'id', wh: 'webhook_id' }

/** The column to search follows from the prefix of the id, so that an index is used. */
const hasId = (db: Db, text: string): Fragment => {
  // A workflow id contains the delivery id (workflow-id.ts).
  const id =
    text
      .trim()
      .replace(/^delivery:/, '')
      .split(':', 1)[0] ?? ''
  const [prefix = ''] = id.split('_')
  if (prefix === 'evt') return belongsToEvent(db, id)
  const column = COLUMNS[prefix]
  return column === undefined ? db`false` : db`${db(column)} = ${id}`
}

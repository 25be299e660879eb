import type { Tenant } from '../../caller'
import type { Db, Fragment } from '../../db/connect'
import { type CreatedBetween, createdBetween } from '../../db/created-between'
import { invalid } from '../../errors'
import { isDateTime } from '../../http/date-time'
import { belongsToEvent } from '../events/record'
import type { EventType } from '../events/types'
import type { Delivery } from './schema'

/** What a list of deliveries is narrowed to. */
export type DeliveryFilter = CreatedBetween & {
  status?: Delivery['status']
  event?: EventType
  webhook_id?: string
  /** The reason, exactly as the record has it. */
  error?: string
  /** Of the delivery, its event or its webhook; or of its workflow. */
  id?: string
}

/**
 * SQL for what a filter finds among the deliveries of a tenant.
 * @throws {DomainError} VALIDATION_ERROR for a time that is none.
 */
export const matchDeliveries = (db: Db, tenant: Tenant, filter: DeliveryFilter): Fragment => {
  const { webhook_id, status, event, error, id } = filter
  checkTimes(filter)
  return db`
    account_id = ${tenant.accountId} AND mode = ${tenant.mode}
    ${webhook_id === undefined ? db`` : db`AND webhook_id = ${webhook_id}`}
    ${status === undefined ? db`` : db`AND status = ${status}`}
    ${status === 'FAILED' || status === 'RETRYING' ? notDelivered(db) : db``}
    ${event === undefined ? db`` : db`AND event_type = ${event}`}
    ${error === undefined ? db`` : db`AND error = ${error}`}
    ${id === undefined ? db`` : db`AND ${hasId(db, id)}`}
    ${createdBetween(db, filter)}`
}

/** The index of what has not arrived is used only where the query says so in its words. */
const notDelivered = (db: Db) => db`AND status <> 'DELIVERED'`

const COLUMNS: { [prefix: string]: string } = { dlv: 'id', wh: 'webhook_id' }

/** Each kind of id by what finds it in an index. */
const hasId = (db: Db, text: string): Fragment => {
  // A workflow's id has the delivery's in it (workflow-id.ts).
  const id = text.trim().replace(/^delivery:([^:]*).*$/, '$1')
  const [prefix = ''] = id.split('_')
  if (prefix === 'evt') return belongsToEvent(db, id)
  const column = COLUMNS[prefix]
  return column === undefined ? db`false` : db`${db(column)} = ${id}`
}

/** @throws {DomainError} VALIDATION_ERROR naming the member that is no time. */
export const checkTimes = ({ created_after, created_before }: CreatedBetween): void => {
  for (const [member, text] of Object.entries({ created_after, created_before }))
    if (text !== undefined && !isDateTime(text))
      throw invalid(member, 'is not a time. Give ISO 8601, such as 2026-01-31T12:00:00.000Z.')
}

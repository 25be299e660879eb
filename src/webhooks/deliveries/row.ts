import type { Mode } from '../../caller'
import type { Db, Fragment, Sql } from '../../db/connect'
import type { EventType } from '../events/types'
import { isQueuedAs } from '../queue/changes'
import { KIND } from '../queue/entry'
import type { Delivery } from './schema'
import { deliveryWorkflowId } from './workflow-id'

/**
 * SQL for the columns of a `DeliveryRow`. The query must read `deliveries` without an alias. `body` is the expression
 * of its `response_body`.
 */
export const deliveryColumns = (db: Db, body: Fragment = db`response_body`) => db`
  ${db(COLUMNS)}, ${body} AS response_body, ${waitsFor(db)} AS waits_for, ${withoutWorkflow(db)} AS without_workflow`

/**
 * The `waits_for` of contract 5.12. Only a delivery in an order waits for another one: the others need no query.
 */
const waitsFor = (db: Db) => db`
  CASE WHEN deliveries.sequence IS NOT NULL AND deliveries.status = 'RETRYING' THEN (
    SELECT earlier.delivery_id FROM webhooks w
    JOIN delivery_queue earlier ON earlier.account_id = w.account_id AND earlier.webhook_id = w.id
    WHERE w.id = deliveries.webhook_id AND w.ordered AND w.deleted_at IS NULL
      AND earlier.sequence BETWEEN 1 AND deliveries.sequence - 1
    ORDER BY earlier.sequence LIMIT 1
  ) END`

/**
 * Without a workflow id (contract 5.17): final without a workflow, or in the order of a webhook and not started. Any other
 * delivery shows its workflow id before the workflow starts: that takes milliseconds, but where it waits for an operator.
 */
const withoutWorkflow = (db: Db) => db`
  (without_workflow OR (sequence IS NOT NULL AND status = 'RETRYING' AND NOT ${isQueuedAs(db, KIND.owned)}))`

/** False while a delivery waits for its turn, for its webhook or for an operator: its workflow is started after that. */
export const isWorkflowStarted = async (
  sql: Sql,
  { id, status }: Pick<Delivery, 'id' | 'status'>,
): Promise<boolean> => {
  if (status !== 'RETRYING') return true
  const [found] = await sql`
    SELECT FROM deliveries
    WHERE id = ${id} AND (status <> 'RETRYING' OR ${isQueuedAs(sql, KIND.owned)})`
  return found !== undefined
}

const COLUMNS = [
  'id',
  'webhook_id',
  'event_id',
  'event_type',
  'test',
  'mode',
  'status',
  'run',
  'attempt_count',
  'http_status',
  'error',
  'next_attempt_at',
  'sequence',
  'delivered_at',
  'created_at',
] as const

/** A row of `deliveries`. */
export type DeliveryRow = Pick<
  Delivery,
  | 'id'
  | 'webhook_id'
  | 'event_id'
  | 'test'
  | 'status'
  | 'http_status'
  | 'response_body'
  | 'attempt_count'
  | 'error'
  | 'sequence'
  | 'waits_for'
> & {
  event_type: EventType
  mode: Mode
  run: number
  without_workflow: boolean
  next_attempt_at: Date | null
  delivered_at: Date | null
  created_at: Date
}

/** The record of the API (contract 5.1). */
export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event: row.event_type,
  test: row.test,
  test_mode: row.mode === 'test',
  status: row.status,
  http_status: row.http_status,
  response_body: row.response_body,
  attempt_count: row.attempt_count,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  sequence: row.sequence,
  waits_for: row.waits_for,
  delivered_at: row.delivered_at?.toISOString() ?? null,
  error: row.error,
  workflow_id: row.without_workflow ? null : deliveryWorkflowId(row.id, row.run),
  created_at: row.created_at.toISOString(),
})

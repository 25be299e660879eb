import type { Sql } from '../../db/connect'
import { isQueuedAs } from '../queue/changes'
import { KIND } from '../queue/entry'
import type { Delivery } from './schema'

/** The id of the workflow of one run of a delivery (contract 5.17). Runs count from 1. */
export const deliveryWorkflowId = (deliveryId: string, run: number): string =>
  run === 1 ? `delivery:${deliveryId}` : `delivery:${deliveryId}:${run}`

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

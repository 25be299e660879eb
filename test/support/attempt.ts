import type { Sql } from '../../src/db/connect'
import { type DeliveryState, type Outcome, recordAttempts } from '../../src/webhooks/attempts'

/** Records one attempt that a workflow has made. */
export const recordAttempt = async (
  sql: Sql,
  deliveryId: string,
  outcome: Outcome,
): Promise<DeliveryState | undefined> =>
  (await recordAttempts(sql, [{ deliveryId, outcome }], { inWorkflow: true })).get(deliveryId)

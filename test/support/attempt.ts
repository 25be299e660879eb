import type { Sql } from '../../src/db/connect'
import { type DeliveryState, type Outcome, recordAttempts } from '../../src/webhooks/attempts'

/** Records one attempt, that a workflow has made unless told otherwise. */
export const recordAttempt = async (
  sql: Sql,
  deliveryId: string,
  outcome: Outcome,
  by = { inWorkflow: true },
): Promise<DeliveryState | undefined> =>
  (await recordAttempts(sql, [{ deliveryId, outcome }], by)).get(deliveryId)

/**
 * From the end of each attempt of a delivery to the beginning of the next, in ms: by the records, which unlike the
 * clock of a receiver are never late.
 */
export const waitsBetween = async (sql: Sql, deliveryId: string): Promise<number[]> => {
  const attempts = await sql<{ started_at: Date; duration_ms: number }[]>`
    SELECT started_at, duration_ms FROM attempts WHERE delivery_id = ${deliveryId} ORDER BY number`
  return attempts
    .slice(1)
    .map(
      (one, n) =>
        Number(one.started_at) - Number(attempts[n]?.started_at) - (attempts[n]?.duration_ms ?? 0),
    )
}

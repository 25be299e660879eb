import { createBatch } from '../db/batch'
import type { Sql } from '../db/connect'
import { type Attempted, type DeliveryState, recordAttempts, recordEnd } from './attempts'

/**
 * Statements under way at a time, and outcomes in one. Two, so that one which waits for a delivery that
 * somebody holds does not stop all others.
 */
const CALLS = 2
const MOST = 200

/** Records what comes of attempts; those that end at the same time share one statement and one commit. */
export type Recorder = {
  /** See `recordAttempts`; undefined when nothing was written. */
  attempt: (attempted: Attempted) => Promise<DeliveryState | undefined>
  /** See `recordEnd`. */
  end: (end: { deliveryId: string; run: number; reason: string }) => Promise<void>
}

/** `inWorkflow`: whether a workflow makes these attempts, and what is left after them. */
export const createRecorder = (sql: Sql, how: { inWorkflow: boolean }): Recorder => ({
  attempt: createBatch((attempts: Attempted[]) => recordAttempts(sql, attempts, how), {
    calls: CALLS,
    most: MOST,
    key: ({ deliveryId }) => deliveryId,
  }),
  end: end => recordEnd(sql, end, how),
})

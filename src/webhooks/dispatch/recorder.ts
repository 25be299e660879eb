import { createBatcher } from '../../db/batcher'
import type { Sql } from '../../db/connect'
import { type AttemptResult, type DeliveryState, failDelivery, recordAttempts } from './store'

/**
 * Statements under way at a time, and outcomes in one. Two, so that one which waits for a delivery that
 * somebody holds does not stop all others.
 */
const MAX_STATEMENTS = 2
const MAX_OUTCOMES = 200
/**
 * The next statement of a lane waits so long after the last one, in ms, or for so many outcomes: alone each costs
 * Postgres 0.35 ms, and among 30 or more 0.04. A workflow waits for its outcome, and the next of
 * an ordered webhook for that of the one before; else the lane waits for none.
 */
const GATHER_MS = 20
const ENOUGH = 100

/** Records what comes of attempts; those that end at the same time share one statement and one commit. */
export type Recorder = {
  /** See `recordAttempts`; undefined when nothing was written. Gives up after `ms`. */
  attempt: (attempted: AttemptResult, ms: number) => Promise<DeliveryState | undefined>
  /** See `failDelivery`. */
  end: (end: { deliveryId: string; run: number; reason: string }) => Promise<void>
}

/** `inWorkflow`: whether a workflow makes these attempts, and what is left after them. */
export const createRecorder = (sql: Sql, how: { inWorkflow: boolean }): Recorder => ({
  attempt: createBatcher(
    async (attempts: AttemptResult[]) => {
      const states = await recordAttempts(sql, attempts, how)
      return attempts.map(({ deliveryId }) => states.get(deliveryId))
    },
    {
      maxCalls: MAX_STATEMENTS,
      maxItems: MAX_OUTCOMES,
      uniqueBy: ({ deliveryId }) => deliveryId,
      ...(!how.inWorkflow && {
        gatherMs: GATHER_MS,
        enough: ENOUGH,
        isUrgent: ({ isAwaited = false }) => isAwaited,
      }),
    },
  ),
  end: end => failDelivery(sql, end, how),
})

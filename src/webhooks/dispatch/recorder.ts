import { createBatcher } from '../../db/batcher'
import type { Sql } from '../../db/connect'
import { type AttemptResult, type DeliveryState, failDelivery, recordAttempts } from './store'

/** Concurrent statements: two, so that one that waits for a locked delivery does not block all others. */
const MAX_STATEMENTS = 2
/** Outcomes in one statement. */
const MAX_OUTCOMES = 200
/** Characters of their bodies: as JSON, 200 bodies of 64 KiB of control characters took 142 ms on the event loop. */
const MAX_CHARACTERS = 1024 * 1024
/**
 * A lane gathers outcomes for this long, in ms, or until it has `ENOUGH`: one costs PostgreSQL 0.35 ms alone and
 * 0.04 ms among 30 or more. Outcomes that a workflow or an ordered webhook waits for are recorded at once.
 */
const GATHER_MS = 20
const ENOUGH = 100

/** Records outcomes; those that arrive at the same time share one statement and one commit. */
export type Recorder = {
  /** See `recordAttempts`; undefined when nothing was written. Rejects after `timeoutMs`. */
  recordAttempt: (result: AttemptResult, timeoutMs: number) => Promise<DeliveryState | undefined>
  /** See `failDelivery`. */
  failDelivery: (failure: { deliveryId: string; run: number; reason: string }) => Promise<boolean>
}

/** `inWorkflow`: a workflow makes these attempts, and the remaining ones. */
export const createRecorder = (sql: Sql, origin: { inWorkflow: boolean }): Recorder => ({
  recordAttempt: createBatcher(
    async (attempts: AttemptResult[]) => {
      const states = await recordAttempts(sql, attempts, origin)
      return attempts.map(({ deliveryId }) => states.get(deliveryId))
    },
    {
      maxCalls: MAX_STATEMENTS,
      maxItems: MAX_OUTCOMES,
      maxWeight: MAX_CHARACTERS,
      weightOf: ({ outcome }) => outcome.responseBody?.length ?? 0,
      uniqueBy: ({ deliveryId }) => deliveryId,
      ...(!origin.inWorkflow && {
        gatherMs: GATHER_MS,
        enough: ENOUGH,
        isUrgent: ({ isAwaited = false }) => isAwaited,
      }),
    },
  ),
  failDelivery: failure => failDelivery(sql, failure, origin),
})

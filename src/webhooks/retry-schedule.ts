/**
 * The retry schedule of deliveries (contract 5.3): Temporal's retry policy and `next_attempt_at` both follow from
 * these constants. In ms. The workflow sandbox loads this file, so it imports nothing.
 */

/** Attempts in one run of a delivery. */
export const MAX_ATTEMPTS = 3
/** The newest attempts of a delivery that keep their response body (contract 5.6): two runs. */
export const ATTEMPT_BODIES_KEPT = 2 * MAX_ATTEMPTS
/** Stored bytes of a response body (contract 5.6). A longer response ends the connection. */
export const RESPONSE_BODY_MAX_BYTES = 64 * 1024
/** From the first failure to the second attempt. */
export const FIRST_RETRY_DELAY_MS = 5_000
/** Each later delay is the previous one times this. */
export const RETRY_BACKOFF = 5
/** From each failure but the last to the next attempt: 5 s, then 25 s. */
export const RETRY_DELAYS_MS = Array.from(
  { length: MAX_ATTEMPTS - 1 },
  (_, failure) => FIRST_RETRY_DELAY_MS * RETRY_BACKOFF ** failure,
)

/** Time for the endpoint to respond, DNS lookup and connecting included (contract 5.5). */
export const RESPONSE_TIMEOUT_MS = 30_000
/** Additional time to load the delivery and to record the outcome. */
export const RECORDING_ALLOWANCE_MS = 10_000
export const MAX_ATTEMPT_MS = RESPONSE_TIMEOUT_MS + RECORDING_ALLOWANCE_MS
/** Margin after the time by which a workflow should have recorded its attempt, in ms. */
export const RECONCILE_MARGIN_MS = 20_000
/** From the start of an attempt until reconciliation describes its workflow in Temporal, in ms. */
export const RECONCILE_AFTER_MS = MAX_ATTEMPT_MS + RECONCILE_MARGIN_MS
/** A caller this much too early waits for the attempt: the clocks of Temporal and PostgreSQL differ. */
export const EARLY_TOLERANCE_MS = 1_000

/** A worker without a heartbeat for this long, while it waits for an endpoint, counts as dead. */
export const ATTEMPT_HEARTBEAT_TIMEOUT_MS = 10_000
/**
 * Timeout of the workflow task in which a workflow makes its attempt: a worker that died is found after it. The SDK
 * continues the task after 80 % of it, once in the longest attempt, and has the rest of it for that.
 */
export const ATTEMPT_TASK_TIMEOUT_MS = 20_000
/** Pause after a failure of Arden's own parts, which is no attempt and has no limit (contract 5.4). */
export const INFRASTRUCTURE_RETRY_MS = 10_000

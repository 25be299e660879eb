/**
 * When a delivery is tried again (contract 5.3), once: Temporal's retry policy and
 * `next_attempt_at` are both made from this. Constants only, all in milliseconds: the workflow
 * sandbox imports this file too.
 */

/** Attempts in one run of a delivery. */
export const MAX_ATTEMPTS = 3
/** From the first failure to the second attempt. */
export const FIRST_RETRY_DELAY_MS = 5_000
/** Each later delay is this many times the one before it. */
export const RETRY_BACKOFF = 5
/** From each failure but the last to the next attempt: 5 s, then 25 s. */
export const RETRY_DELAYS_MS = Array.from(
  { length: MAX_ATTEMPTS - 1 },
  (_, failure) => FIRST_RETRY_DELAY_MS * RETRY_BACKOFF ** failure,
)

/** How long the endpoint has to answer, name look-up and connecting included. */
export const RESPONSE_TIMEOUT_MS = 30_000
/** Beyond that, for ours to load the delivery and to record what came of it. */
export const RECORDING_ALLOWANCE_MS = 10_000
export const MAX_ATTEMPT_MS = RESPONSE_TIMEOUT_MS + RECORDING_ALLOWANCE_MS
/** Whoever comes this much before an attempt's time waits for it: Temporal's clock is not Postgres's. */
export const EARLY_TOLERANCE_MS = 1_000

/** A worker that is silent for this long while it waits for an endpoint is taken for dead. */
export const ATTEMPT_HEARTBEAT_TIMEOUT_MS = 10_000
/** After a failure of our own parts, which is no attempt and has no limit. */
export const INFRASTRUCTURE_RETRY_MS = 10_000

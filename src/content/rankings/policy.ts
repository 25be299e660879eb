/** Limits of the rank tracking. The workflow imports this file, so it has constants only. */

/** The hour of the day (UTC) at which a run starts. */
export const TRACKING_HOUR_UTC = 4

/** Keywords in one activity, and batches until the workflow continues as new. */
export const BATCH_SIZE = 50
export const BATCHES_PER_RUN = 20
/** Concurrent searches, in all workers together: a run has one batch at a time. */
export const CONCURRENT_SEARCHES = 4
/** After this many failed searches in a row, the other keywords of the batch wait for its next attempt. */
export const MAX_FAILURES_IN_A_ROW = 10

/** A run fails after this many batches in a row that got no response in any of their attempts. */
export const MAX_EMPTY_BATCHES = 3

/** The timeout of one search, in ms. */
export const SEARCH_TIMEOUT_MS = 30_000
/** In ms: Temporal retries the batch on another worker when its worker has sent no heartbeat for this long. */
export const BATCH_HEARTBEAT_TIMEOUT_MS = 20_000
/** In ms: the full timeout of each search, and as much again to record the rankings. */
export const BATCH_TIMEOUT_MS = (2 * BATCH_SIZE * SEARCH_TIMEOUT_MS) / CONCURRENT_SEARCHES

/** Attempts of a batch with searches without a response: 5 s, 25 s, 125 s and 10 minutes apart. */
export const BATCH_ATTEMPTS = 5
export const BATCH_RETRY_DELAY_MS = 5_000
export const BATCH_RETRY_BACKOFF = 5
export const BATCH_RETRY_DELAY_MAX_MS = 600_000

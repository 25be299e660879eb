/** How the rank tracker asks its source, for the activity and for the workflow. Imports nothing. */

/** Hour of the day, UTC, at which the tracker runs. */
export const TRACKING_HOUR_UTC = 4

/** Keywords in one activity, and batches until a run goes on with a fresh history. */
export const BATCH_SIZE = 50
export const BATCHES_PER_RUN = 20
/** Searches under way at a time, over all workers: batches follow one another. */
export const CONCURRENT_SEARCHES = 4
/** Searches in a row without an answer after which the others of a batch wait for its next try. */
export const MAX_FAILURES_IN_A_ROW = 10

/** Batches in a row without any answer, all their tries over, after which a run fails. */
export const MAX_EMPTY_BATCHES = 3

/** For one search, in ms. */
export const SEARCH_TIMEOUT_MS = 30_000
/** A worker that is silent for this long counts as dead, in ms. */
export const BATCH_HEARTBEAT_TIMEOUT_MS = 20_000
/** The longest a batch can take, in ms: each search its full time, and as much to record them. */
export const BATCH_TIMEOUT_MS = (2 * BATCH_SIZE * SEARCH_TIMEOUT_MS) / CONCURRENT_SEARCHES

/** Tries of a batch that has searches without an answer: 5 s, 25 s, 125 s and 10 minutes apart. */
export const BATCH_ATTEMPTS = 5
export const BATCH_RETRY_DELAY_MS = 5_000
export const BATCH_RETRY_BACKOFF = 5
export const BATCH_RETRY_DELAY_MAX_MS = 600_000

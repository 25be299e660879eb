import { ADMISSION_TIMEOUT_MS } from '../provider-limits/admission-timeout'

/** Limits of the rank tracking. The workflow imports this file, so it has constants only. */

/** How often a run of the projects that are due may start, in minutes: time zones differ by quarters of an hour. */
export const TICK_MINUTES = 15
/** A project whose run ended early is due again after this time, in ms. */
export const RUN_RETRY_MS = 3_600_000
/** A run of a project can be requested once in this time, in ms: searches cost money. */
export const REQUEST_INTERVAL_MS = 3_600_000
/** The same after one that failed without a search, in ms: the user sees whether what was wrong is corrected. */
export const FAILED_INTERVAL_MS = 60_000
/** A run that takes longer than this, in ms, is reported, and goes on. */
export const RUN_LATE_MS = 24 * 3_600_000
/**
 * A run ends after this long, in ms: after a return to a version that does not know its workflow, it would prevent every
 * later one.
 */
export const RUN_TIMEOUT_MS = 7 * RUN_LATE_MS

/** Keywords in one activity, and batches until the workflow continues as new. */
export const BATCH_SIZE = 50
export const BATCHES_PER_RUN = 20
/** Concurrent searches of a shard, which has one batch at a time. */
export const CONCURRENT_SEARCHES = 4
/** After this many failed searches in a row, the other keywords of the batch wait for its next attempt. */
export const MAX_FAILURES_IN_A_ROW = 10

/** A shard ends after this many batches in a row that got no response in any of their attempts. */
export const MAX_EMPTY_BATCHES = 3

/** The timeout of one search, in ms. */
export const SEARCH_TIMEOUT_MS = 30_000
/** In ms: Temporal retries the batch on another worker when its worker has sent no heartbeat for this long. */
export const BATCH_HEARTBEAT_TIMEOUT_MS = 20_000
/** In ms: one search after the other, each with its full wait for the rate limit and its full timeout. */
export const BATCH_TIMEOUT_MS = BATCH_SIZE * (ADMISSION_TIMEOUT_MS + SEARCH_TIMEOUT_MS)

/** Attempts of a batch with searches without a response: 5 s, 25 s, 125 s and 10 minutes apart. */
export const BATCH_ATTEMPTS = 5
export const BATCH_RETRY_DELAY_MS = 5_000
export const BATCH_RETRY_BACKOFF = 5
export const BATCH_RETRY_DELAY_MAX_MS = 600_000

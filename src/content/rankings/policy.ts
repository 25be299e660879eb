/** How the rank tracker asks its source, for the activity and for the workflow. Imports nothing. */

/** Hour of the day, UTC, at which the tracker runs. */
export const HOUR_UTC = 4

/** Keywords in one activity, and batches until a run goes on with a fresh history. */
export const BATCH = 50
export const BATCHES = 20
/** Searches under way at a time, over all workers: batches follow one another. */
export const SEARCHES = 4
/** Searches in a row without an answer after which the others of a batch wait for its next try. */
export const GIVE_UP_AFTER = 10

/** Batches in a row without any answer, all their tries over, after which a run fails. */
export const EMPTY_BATCHES = 3

/** For one search, in ms. */
export const SEARCH_TIMEOUT_MS = 30_000
/** A worker that is silent for this long counts as dead, in ms. */
export const HEARTBEAT_TIMEOUT_MS = 20_000
/** The longest a batch can take, in ms: each search its full time, and as much to record them. */
export const LONGEST_BATCH_MS = (2 * BATCH * SEARCH_TIMEOUT_MS) / SEARCHES

/** Tries of a batch that has searches without an answer: 5 s, 25 s, 125 s and 10 minutes apart. */
export const TRIES = 5
export const FIRST_DELAY_MS = 5_000
export const BACKOFF = 5
export const LONGEST_DELAY_MS = 600_000

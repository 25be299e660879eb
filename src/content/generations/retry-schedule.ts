/**
 * How long an article may take to write, and when a provider that failed is asked again. Constants only,
 * all in milliseconds: the workflow sandbox imports this file too.
 */

/** Failures of the provider with which the generation is FAILED. */
export const PROVIDER_ATTEMPTS = 4
const FIRST_DELAY_MS = 2_000
const BACKOFF = 4
const LONGEST_DELAY_MS = 30_000

/**
 * Until the provider is asked again, after so many failures: 2 s, 8 s, 30 s. What it asks for itself
 * (src/http/response/retry-after.ts) goes before that.
 */
export const delayAfter = (failures: number, retryAfterMs?: number): number =>
  retryAfterMs ?? Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * BACKOFF ** (failures - 1))

/** How long the provider may take over all, and be silent before or between parts of its answer. */
export const PROVIDER_TIMEOUT_MS = 600_000
export const PROVIDER_IDLE_TIMEOUT_MS = 90_000
/** Beyond that, to store the article: what is lost here is paid for again. */
export const STORE_TIMEOUT_MS = 60_000
export const WRITE_TIMEOUT_MS = PROVIDER_TIMEOUT_MS + STORE_TIMEOUT_MS

/** A worker that is silent for this long while it writes is taken for dead. */
export const WRITE_HEARTBEAT_TIMEOUT_MS = 10_000
/**
 * After a failure of our own parts, which never fails the generation: from the first delay to the longest,
 * without limit. Writing anew is paid for, so that a fault that stays must not be tried each second.
 */
export const INTERNAL_RETRY_DELAY_MS = 2_000
export const INTERNAL_RETRY_DELAY_MAX_MS = 120_000

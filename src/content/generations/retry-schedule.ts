/**
 * Timeouts and retries of a generation, all in milliseconds (contract 6.7). The workflow imports this file, so it has
 * constants and pure functions only.
 */

import { ADMISSION_TIMEOUT_MS } from '../provider-limits/admission-timeout'

/** Sections of one article that are written at a time. */
export const SECTIONS_AT_ONCE = 3

/** The generation is FAILED after this many failures of the provider in one step. */
export const PROVIDER_ATTEMPTS = 4
const PROVIDER_RETRY_DELAY_MS = 2_000
const PROVIDER_RETRY_BACKOFF = 4
const PROVIDER_RETRY_DELAY_MAX_MS = 30_000

/**
 * The delay before the provider is called again: 2 s, 8 s and 30 s, or its `Retry-After`
 * (src/http/response/retry-after.ts).
 */
export const delayAfter = (failures: number, retryAfterMs?: number): number =>
  retryAfterMs ??
  Math.min(
    PROVIDER_RETRY_DELAY_MAX_MS,
    PROVIDER_RETRY_DELAY_MS * PROVIDER_RETRY_BACKOFF ** (failures - 1),
  )

/** The timeout of a provider's response, and the longest wait for its first or next part. */
export const PROVIDER_TIMEOUT_MS = 600_000
export const PROVIDER_IDLE_TIMEOUT_MS = 90_000
/** Time to store the article after that: when it cannot be stored, the provider is paid again. */
export const STORE_TIMEOUT_MS = 60_000
export const WRITE_TIMEOUT_MS = ADMISSION_TIMEOUT_MS + PROVIDER_TIMEOUT_MS + STORE_TIMEOUT_MS
/** The generation is FAILED when the provider still responds with 429 this long after the first request. */
export const RATE_LIMITED_TIMEOUT_MS = 24 * 3_600_000

/** Temporal retries the activity on another worker when its worker has sent no heartbeat for this long. */
export const WRITE_HEARTBEAT_TIMEOUT_MS = 10_000
/**
 * Delays between retries after an internal error, which never fails the generation. The number is not limited; the
 * delays are long because each retry pays the provider again.
 */
export const INTERNAL_RETRY_DELAY_MS = 2_000
export const INTERNAL_RETRY_DELAY_MAX_MS = 120_000

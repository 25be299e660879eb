/**
 * The longest wait for a request that the rate limit of a provider permits, in ms. What would wait longer comes back
 * later, so that it does not hold the slot of an activity. Workflows import this file.
 */
export const ADMISSION_TIMEOUT_MS = 30_000

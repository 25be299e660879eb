/**
 * The most that a busy machine adds to a time that a test checks, in ms: less than the difference between two steps
 * of the schedule.
 */
export const LATE_MS = 8_000

/** Intervals between two checks of a condition, in milliseconds: the first, and the longest. */
const POLL_MS = 20
const SELDOM_MS = 100
/** The part of a wait by which it may end late. */
const PART = 1 / 20

/**
 * Waits until `look` returns something other than undefined, null or false, and returns that. Fails
 * after `seconds` with `what`: a test never waits without saying for what. Only a test that fails waits so
 * long; on a machine that is busy with other things, one that passes needs more than it seems.
 *
 * A wait that is long anyway looks less often: most looks are a request or a query, and what waits for
 * the retries would make thousands, at the cost of the tests beside it.
 */
export const until = async <T>(
  what: string,
  look: () => T | Promise<T>,
  seconds = 60,
): Promise<NonNullable<Exclude<T, false>>> => {
  const began = performance.now()
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as NonNullable<Exclude<T, false>>
    const waited = performance.now() - began
    if (waited > seconds * 1000) throw new Error(`not within ${seconds} s: ${what}`)
    await Bun.sleep(Math.min(SELDOM_MS, Math.max(POLL_MS, waited * PART)))
  }
}

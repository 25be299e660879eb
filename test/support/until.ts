/** How often a condition is looked at, in milliseconds: at first, and at the most seldom. */
const POLL_MS = 20
const SELDOM_MS = 100
/** What a wait may go on beyond its end, as a part of itself. */
const LATE = 1 / 20

/**
 * Waits until `look` answers something other than undefined, null or false, and answers that. Fails
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
    await Bun.sleep(Math.min(SELDOM_MS, Math.max(POLL_MS, waited * LATE)))
  }
}

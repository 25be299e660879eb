import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log'

/** Pause before a retry, in ms; doubles from the minimum to the maximum, which is what waits after the end of an outage. */
const PAUSE_MIN_MS = 250
const PAUSE_MAX_MS = 1_000

/**
 * Tracks whether a dependency works: how long to wait before the next try, and one log line per change.
 */
type Availability = {
  /** 0 while it works. */
  pauseMs(): number
  reportSuccess(): void
  /** What failed is not tried any more: the next failure is logged again. */
  reportEnd(): void
  reportFailure(error: unknown): void
}

/** `effect` is logged: what the failure means for operators, and when it ends. */
export const createAvailability = (log: Log, what: string, effect: string): Availability => {
  let pauseMs = 0
  return {
    pauseMs: () => pauseMs,
    reportSuccess: () => {
      if (pauseMs > 0) log.info(`${what}: available again.`)
      pauseMs = 0
    },
    reportEnd: () => {
      if (pauseMs > 0) log.info(`${what}: nothing waits any more.`)
      pauseMs = 0
    },
    reportFailure: error => {
      if (pauseMs === 0) log.warn(`${what}: ${rootMessage(error).replace(/\.$/, '')}. ${effect}`)
      pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pauseMs * 2))
    },
  }
}

/**
 * Calls `work` until `signal`, every `everyMs`, or again at once if it returns `more`. The first failure is
 * logged, and further calls back off. `idle`: there was nothing to try, so an outage is not over. `empty`: nor is there
 * anything to try again.
 */
export const runPeriodically = async (
  work: () => Promise<'more' | 'done' | 'idle' | 'empty'>,
  everyMs: number,
  availability: Availability,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const outcome = await work().then(
      found => {
        if (found === 'empty') availability.reportEnd()
        else if (found !== 'idle') availability.reportSuccess()
        return found
      },
      error => {
        availability.reportFailure(error)
        return 'done'
      },
    )
    if (outcome !== 'more')
      await sleep(Math.max(everyMs, availability.pauseMs()), undefined, { signal }).catch(() => {})
  }
}

/**
 * The cause inside Temporal's "Failed to start Workflow", and inside its dump of a connection error.
 */
const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return rootMessage(error.cause)
  return error.message.match(/message: "([^"]+)"/)?.[1] ?? error.message
}

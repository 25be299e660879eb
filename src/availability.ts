import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log'

/** Pauses between tries, in ms, doubling from the first to the second. */
const PAUSE_MIN_MS = 250
const PAUSE_MAX_MS = 5_000

/** A part that may be away or fail: how long to wait before it is tried again, and one log line per change. */
export type Availability = {
  /** 0 while it is there. */
  pauseMs(): number
  reportSuccess(): void
  reportFailure(error: unknown): void
}

/** `effect` tells the operator what its absence means and what happens when it is back. */
export const createAvailability = (log: Log, what: string, effect: string): Availability => {
  let pauseMs = 0
  return {
    pauseMs: () => pauseMs,
    reportSuccess: () => {
      if (pauseMs > 0) log.info(`${what}: works again.`)
      pauseMs = 0
    },
    reportFailure: error => {
      if (pauseMs === 0) log.warn(`${what}: ${rootMessage(error)}. ${effect}`)
      pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pauseMs * 2))
    },
  }
}

/**
 * Does `work` again and again until `signal`, `everyMs` apart, or at once while it answers that there is
 * more. A failure is told once and waited out.
 */
export const runPeriodically = async (
  work: () => Promise<'more' | 'done'>,
  everyMs: number,
  availability: Availability,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const outcome = await work().then(
      found => {
        availability.reportSuccess()
        return found
      },
      error => {
        availability.reportFailure(error)
        return 'done'
      },
    )
    if (outcome === 'done')
      await sleep(Math.max(everyMs, availability.pauseMs()), undefined, { signal }).catch(() => {})
  }
}

/** What lies under Temporal's "Failed to start Workflow", and within its dump of a connection error. */
const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return rootMessage(error.cause)
  return error.message.match(/message: "([^"]+)"/)?.[1] ?? error.message
}

import type { Log } from './log'

/** Pauses between tries, in ms, doubling from the first to the second. */
const PAUSE_MIN_MS = 250
const PAUSE_MAX_MS = 5_000

/** A part that may be away: how long to wait before it is tried again, and one log line per change. */
export type Availability = {
  /** 0 while it is there. */
  pauseMs(): number
  worked(): void
  failed(error: unknown): void
}

/** `effect` tells the operator what its absence means and what happens when it is back. */
export const createAvailability = (log: Log, what: string, effect: string): Availability => {
  let pauseMs = 0
  return {
    pauseMs: () => pauseMs,
    worked: () => {
      if (pauseMs > 0) log.info(`${what} is back.`)
      pauseMs = 0
    },
    failed: error => {
      if (pauseMs === 0) log.warn(`${what} is away (${rootMessage(error)}). ${effect}`)
      pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pauseMs * 2))
    },
  }
}

/** What lies under Temporal's "Failed to start Workflow", and within its dump of a connection error. */
const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return rootMessage(error.cause)
  return error.message.match(/message: "([^"]+)"/)?.[1] ?? error.message
}

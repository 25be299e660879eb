import { idTimestamp } from '../../ids'
import { MAX_CLOCK_SKEW_MS, type StreamPosition } from './store'

/** Type of the message that says that events may be missing at the start of the stream (contract 5.16). */
export const GAP = 'gap'

export type Gap = {
  /** Events before this time may be missing. ISO 8601. */
  before: string
  message: string
}

const DAY_MS = 24 * 3600 * 1000

/**
 * The gap after a position, where retention may have deleted the events that followed it; undefined where it has not.
 * A position without a time comes from an earlier version of Arden, whose stream was open a moment ago.
 */
export const gapAfter = (
  { id }: StreamPosition,
  retentionDays: number,
  now = Date.now(),
): Gap | undefined => {
  const oldestKept = now - retentionDays * DAY_MS
  const time = idTimestamp(id)
  // The position of a keep-alive is later than its time by the clock skew.
  if (time === undefined || time.getTime() - MAX_CLOCK_SKEW_MS >= oldestKept) return undefined
  const before = new Date(oldestKept).toISOString()
  return {
    before,
    message: `Events before ${before} may be missing: the Last-Event-ID is older, and events are kept for ${retentionDays} days. If that matters, read the current records with GET.`,
  }
}

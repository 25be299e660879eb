import { idTimestamp } from '../../ids'
import { MAX_CLOCK_SKEW_MS, type Position } from './store'

/** The name of what a stream says instead of an event type: that some may be missing where it begins. */
export const GAP = 'gap'

/** Its data. */
export type Gap = {
  /** Events from before this time, ISO 8601, that the client has not received may be missing. */
  before: string
  message: string
}

const DAY_MS = 24 * 3600 * 1000

/**
 * What is to be said to a client that goes on from a place whose time is so long ago that what followed may have
 * been deleted (retention/expiry.ts); undefined where nothing was. A place that tells no time is that of a
 * version before: its stream was open a moment ago.
 */
export const gapAfter = ({ id }: Position, keptDays: number, now = Date.now()): Gap | undefined => {
  const since = now - keptDays * DAY_MS
  const left = idTimestamp(id)
  // The place of a keep-alive is so much later than its time.
  if (left === undefined || left.getTime() - MAX_CLOCK_SKEW_MS >= since) return undefined
  const before = new Date(since).toISOString()
  return {
    before,
    message: `Events from before ${before} may be missing here: the Last-Event-ID is older, and events are kept for ${keptDays} days. Where that matters, read the records themselves, with GET.`,
  }
}

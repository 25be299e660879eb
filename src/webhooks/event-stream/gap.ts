import type { Tenant } from '../../caller'
import type { Sql } from '../../db/connect'
import { idTimestamp } from '../../ids'
import { currentPosition, MAX_CLOCK_SKEW_MS, positionAt, type StreamPosition } from './store'

/** Type of the message that says that events may be missing at the start of the stream (contract 5.16). */
export const GAP = 'gap'

export type Gap = {
  /** Events before this time may be missing. ISO 8601. */
  before: string
  message: string
}

const DAY_MS = 24 * 3600 * 1000

/**
 * Where a stream continues after a position that a client sent, and the gap before it, if there is one. A position of
 * another epoch (PostgreSQL failed over, or a backup was restored) is found again by its time: a little earlier, so
 * that events are repeated rather than missed.
 */
export const resumeStream = async (
  sql: Sql,
  tenant: Tenant,
  after: StreamPosition,
  retentionDays: number,
): Promise<{ position: StreamPosition; gap?: Gap | undefined }> => {
  const now = await currentPosition(sql)
  if (after.epoch === undefined || after.epoch === now.epoch)
    return { position: { ...after, epoch: now.epoch }, gap: gapAfter(after, retentionDays) }
  const time = idTimestamp(after.id)
  const found =
    time && (await positionAt(sql, tenant, new Date(time.getTime() - 2 * MAX_CLOCK_SKEW_MS)))
  const before = new Date().toISOString()
  return {
    position: found ?? now,
    gap: {
      before,
      message: `Events before ${before} may be missing or sent again: since the Last-Event-ID, the database was replaced by a standby or restored from a backup, which can lose its last changes. If that matters, read the current records with GET.`,
    },
  }
}

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

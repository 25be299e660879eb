import type { Mode, Tenant } from '../caller'
import type { FailedRequestEntry } from './entry'
import { LOGGED_PER_HOUR, PENDING_MAX } from './limits'

/** The requests of an account, a mode and an hour that are not written yet. */
export type PendingHour = {
  accountId: string
  mode: Mode
  /** In ms since 1970. */
  hour: number
  accepted: number
  /** Requests that got a 429. */
  refused: number
  /** Failed requests that the log may have, also those that are in none of `entries`. */
  failed: number
  /** The first of the failed requests, oldest first. */
  entries: FailedRequestEntry[]
}

/**
 * Keeps at most `LOGGED_PER_HOUR` failed requests of an account, a mode and an hour, and `PENDING_MAX` in all: beyond
 * that the oldest of the hour with the most is dropped, so that an account loses none through the failures of another.
 * @param onDropped called for each failed request that is dropped.
 */
export const createPendingHours = (onDropped: (reason: 'limit' | 'memory') => void) => {
  let hours = new Map<string, PendingHour>()
  let entries = 0

  const hourAt = ({ accountId, mode }: Tenant, hour: number): PendingHour => {
    const key = `${accountId} ${mode} ${hour}`
    const found = hours.get(key)
    if (found !== undefined) return found
    const added = { accountId, mode, hour, accepted: 0, refused: 0, failed: 0, entries: [] }
    hours.set(key, added)
    return added
  }

  const addEntry = (hour: PendingHour, entry: FailedRequestEntry) => {
    if (hour.entries.length >= LOGGED_PER_HOUR) return onDropped('limit')
    hour.entries.push(entry)
    entries++
    if (entries <= PENDING_MAX) return
    largestOf(hours.values()).entries.shift()
    entries--
    onDropped('memory')
  }

  return {
    size: () => hours.size,
    /** The current hour of a tenant, to be counted in. */
    hourOf: (tenant: Tenant) => hourAt(tenant, hourOf(Date.now())),
    addFailed: (entry: FailedRequestEntry) => {
      const hour = hourAt(entry, hourOf(entry.at))
      hour.failed++
      addEntry(hour, entry)
    },
    /** Returns all, which are pending no more. */
    take: (): PendingHour[] => {
      const taken = [...hours.values()]
      hours = new Map()
      entries = 0
      return taken
    },
    /** Makes `taken` pending again, before those of the same hours that came meanwhile. */
    putBack: (taken: readonly PendingHour[]) => {
      const newer = hours
      hours = new Map()
      entries = 0
      for (const from of [...taken, ...newer.values()]) {
        const hour = hourAt(from, from.hour)
        hour.accepted += from.accepted
        hour.refused += from.refused
        hour.failed += from.failed
        for (const entry of from.entries) addEntry(hour, entry)
      }
    },
  }
}

const HOUR_MS = 3_600_000
const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS

/** Only one of some accounts, at a time when memory is short. */
const largestOf = (hours: Iterable<PendingHour>): PendingHour =>
  Array.from(hours).reduce((most, hour) =>
    hour.entries.length > most.entries.length ? hour : most,
  )

import type { Sql } from '../db/connect'
import type { Admit } from '../http/request/admission'
import { getCaller } from '../http/request/caller'
import { isOfApi } from '../http/request/gate'
import type { FailedResponse, RequestObserverParts } from '../http/request-observer'
import type { Meter } from '../metrics/meter'
import type { PublishChange } from '../notifications/changes'
import { toFailedRequest } from './entry'
import { createPendingHours } from './pending'
import { writeHours } from './write'

/** How often a process writes its counts and its failed requests to the database, in ms. */
const FLUSH_INTERVAL_MS = 2_000

type RequestRecorder = {
  /** Wraps `admit` so that its outcomes are counted. */
  countRequests: (admit: Admit) => Admit
  /** Logs a failed request of a key or a user. */
  recordFailure: RequestObserverParts['recordFailure']
  /** Writes what remains and stops the timer. */
  stop: () => Promise<void>
}

/**
 * Counts accepted requests and 429s by account, mode and hour for the charts of the dashboard, and keeps the failed
 * requests of the request log (contract 2.6). Both stay in memory and are written every 2 s by one statement, so no
 * request waits for them. A failed write is repeated with the next one.
 */
export const createRequestRecorder = (
  sql: Sql,
  meter: Meter,
  publishChange: PublishChange,
): RequestRecorder => {
  const pending = createPendingHours(reason => meter.recordUnloggedRequests(reason, 1))
  let writing = Promise.resolve()
  const flush = () => {
    writing = writing.then(async () => {
      const taken = pending.take()
      const failed = taken.filter(({ entries }) => entries.length > 0)
      const entries = failed.reduce((sum, hour) => sum + hour.entries.length, 0)
      try {
        const logged = await writeHours(sql, taken)
        meter.recordUnloggedRequests('limit', entries - logged)
      } catch {
        return pending.putBack(taken)
      }
      for (const hour of failed) publishChange(hour, 'requests')
    })
    return writing
  }
  const timer = setInterval(() => pending.size() > 0 && flush(), FLUSH_INTERVAL_MS)
  timer.unref()
  return {
    countRequests: admit => async value => {
      const admission = await admit(value)
      if ('caller' in admission) {
        const hour = pending.hourOf(admission.caller)
        if (admission.outcome === 'accepted') hour.accepted++
        else hour.refused++
      }
      return admission
    },
    recordFailure: failure => {
      const entry = toFailedRequest(failure)
      if (entry !== undefined) pending.addFailed(entry)
      else if (isOfUnknownCaller(failure)) meter.recordUnloggedRequests('caller', 1)
    },
    stop: () => {
      clearInterval(timer)
      return flush()
    },
  }
}

/** The database was away when the key had to be checked. */
const isOfUnknownCaller = ({ request, path, status }: FailedResponse): boolean =>
  status === 503 && getCaller(request) === undefined && isOfApi(path)

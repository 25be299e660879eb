import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '../../../caller'
import { type Sql, withTimeout } from '../../../db/connect'
import type { PublishChange } from '../../../notifications/changes'
import type { Job } from '../../../outbox/outbox'
import { toStorable } from './parse'
import { reportStep } from './store'

/** How often the text so far is stored, in ms; also how soon the writer notices a cancellation. */
const INTERVAL_MS = 500
/** Characters after which a step is at 50 %, then 75 %, and so on: the length of its text is unknown. */
const HALF_LENGTH = 1_000

type Written = {
  sql: Sql
  publishChange: PublishChange
  tenant: Tenant
  job: Job
  position: number
  textSoFar: () => string
}

/**
 * Stores at an interval what has been written so far, and aborts `ended` when the generation is not RUNNING any more.
 * Returns what stops it.
 */
export const startReporting = (
  { sql, publishChange, tenant, job, position, textSoFar }: Written,
  ended: AbortController,
): (() => Promise<void>) => {
  const stop = new AbortController()
  const report = () => {
    const text = toStorable(textSoFar())
    publishChange(tenant, 'generations')
    return reportStep(sql, job, { position, text, part: 1 - 1 / 2 ** (text.length / HALF_LENGTH) })
  }
  const reporting = (async () => {
    while (!stop.signal.aborted && !ended.signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => {})
      if (stop.signal.aborted) return
      // The next report repeats a failed one.
      const isRunning = await withTimeout(report()).catch(() => true)
      if (!isRunning) ended.abort()
    }
  })()
  return () => {
    stop.abort()
    return reporting
  }
}

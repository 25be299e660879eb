import { proxyActivities, sleep } from '@temporalio/workflow'
import type { Activities } from '../activities'

const { publishDue } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
})

/** The next run begins this long after this one, in ms. */
const MINUTE_MS = 60_000
/** Between two calls, in ms, so that a run has at most 60 of them. */
const PAUSE_MS = 1_000

/**
 * Publishes the articles whose time has come, and waits for those of this minute (contract 6.14). The times are in
 * PostgreSQL; this only decides when to look. A schedule starts it every minute.
 */
export async function publishScheduled(): Promise<{ published: number }> {
  const end = Date.now() + MINUTE_MS
  let published = 0
  for (;;) {
    const result = await publishDue()
    published += result.published
    const { nextInMs } = result
    if (nextInMs === null || Date.now() + nextInMs >= end) return { published }
    await sleep(Math.max(nextInMs, PAUSE_MS))
  }
}

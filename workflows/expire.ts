import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../activities'

const { expireOld } = proxyActivities<Activities>({
  // A first run, or one after the setting was lowered, may have millions of rows to delete.
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
})

/** Deletes what is past its retention. Started by a schedule each hour; a run that is late skips the next. */
export async function expire() {
  return await expireOld()
}

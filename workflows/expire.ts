import { proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { Activities } from '../activities'

const { expireOld } = proxyActivities<Activities>({
  // The first run, or one after the retention was shortened, can have millions of rows to delete.
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
})

/** Deletes everything past its retention. A schedule starts it every hour, and skips a start while one runs. */
export async function expire() {
  const last = workflowInfo().lastResult as Awaited<ReturnType<typeof expireOld>> | undefined
  return await expireOld(last)
}

import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from './floor-worker'

const { doNothing } = proxyActivities<Activities>({ startToCloseTimeout: '30 seconds' })

export async function doNothingOnce(): Promise<void> {
  await doNothing()
}

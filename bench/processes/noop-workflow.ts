import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from './baseline-worker'

const { noop } = proxyActivities<Activities>({ startToCloseTimeout: '30 seconds' })

export async function runNoop(): Promise<void> {
  await noop()
}

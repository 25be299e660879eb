import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { publishScheduled } from '../../../workflows/publish-scheduled'
import type { Schedule } from '../../temporal/schedule'

/** The id of the schedule in Temporal: one for each task queue, like a deployment. */
export const publishScheduleId = (taskQueue: string): string => `publish-scheduled:${taskQueue}`

/** A run ends after this long, in ms, so that one whose worker is lost does not stop the others. */
const RUN_TIMEOUT_MS = 5 * 60_000

/** Publishes what is scheduled: a run for each minute, which waits for the times within it. */
export const publishSchedule = (taskQueue: string): Schedule => ({
  scheduleId: publishScheduleId(taskQueue),
  spec: { intervals: [{ every: '1 minute' }] },
  action: {
    type: 'startWorkflow',
    workflowType: 'publishScheduled',
    workflowId: publishScheduleId(taskQueue),
    taskQueue,
    args: [] as Parameters<typeof publishScheduled>,
    workflowExecutionTimeout: RUN_TIMEOUT_MS,
    staticSummary: 'Publish the articles of this minute',
  },
  // A run that ends late does not leave out the next minute. One that was missed is made up for by the next.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '1 minute' },
})

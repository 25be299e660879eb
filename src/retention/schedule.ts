import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { expire } from '../../workflows/expire'
import type { Schedule } from '../temporal/schedule'

/** The id of the schedule in Temporal: one for each task queue, like a deployment. */
export const expireScheduleId = (taskQueue: string): string => `expire:${taskQueue}`

/** Runs the deletion every hour, so that each run is short. */
export const expireSchedule = (taskQueue: string): Schedule => ({
  scheduleId: expireScheduleId(taskQueue),
  spec: { intervals: [{ every: '1 hour' }] },
  action: {
    type: 'startWorkflow',
    workflowType: 'expire',
    workflowId: expireScheduleId(taskQueue),
    taskQueue,
    args: [] as Parameters<typeof expire>,
    staticSummary: 'Delete records past their retention',
  },
  // The next run makes up for a missed one.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
})

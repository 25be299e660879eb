import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { runRankTracking } from '../../../workflows/track-rankings'
import type { Schedule } from '../../temporal/schedule'
import { RUN_TIMEOUT_MS, TRACKING_HOUR_UTC } from './policy'

/** The id of the schedule in Temporal: one for each task queue, like a deployment. */
export const rankScheduleId = (taskQueue: string): string => `track-rankings:${taskQueue}`

/** Tracks rankings every day. */
export const rankSchedule = (taskQueue: string): Schedule => ({
  scheduleId: rankScheduleId(taskQueue),
  spec: { calendars: [{ hour: TRACKING_HOUR_UTC, comment: 'Once a day' }] },
  action: {
    type: 'startWorkflow',
    workflowType: 'runRankTracking',
    workflowId: rankScheduleId(taskQueue),
    taskQueue,
    args: [] as Parameters<typeof runRankTracking>,
    workflowExecutionTimeout: RUN_TIMEOUT_MS,
    staticSummary: 'Rankings of the tracked keywords',
  },
  // A run that takes longer than a day delays the next one, and does not replace it. A run that was missed starts within
  // 12 hours or not at all, so that two runs are never close to each other.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '12 hours' },
})

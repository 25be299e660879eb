import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { trackRankings } from '../../../workflows/track-rankings'
import type { Schedule } from '../../temporal/schedule'
import { TRACKING_HOUR_UTC } from './policy'

/** The id of the schedule in Temporal: one for each task queue, like a deployment. */
export const rankScheduleId = (taskQueue: string): string => `track-rankings:${taskQueue}`

/** Tracks rankings every day. */
export const rankSchedule = (taskQueue: string): Schedule => ({
  scheduleId: rankScheduleId(taskQueue),
  spec: { calendars: [{ hour: TRACKING_HOUR_UTC, comment: 'Once a day' }] },
  action: {
    type: 'startWorkflow',
    workflowType: 'trackRankings',
    workflowId: rankScheduleId(taskQueue),
    taskQueue,
    args: [] as Parameters<typeof trackRankings>,
    staticSummary: 'Rankings of the tracked keywords',
  },
  // A missed run starts within 12 hours or not at all, so that two runs are never close to each other.
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '12 hours' },
})

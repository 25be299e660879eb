import { type Client, ScheduleOverlapPolicy } from '@temporalio/client'
import type { trackRankings } from '../../../workflows/track-rankings'
import { ensureSchedule } from '../../temporal/schedule'
import { TRACKING_HOUR_UTC } from './policy'

/** Of the schedule in Temporal; one for each deployment, as the task queue is. */
export const rankScheduleId = (taskQueue: string): string => `track-rankings:${taskQueue}`

/** Tracks ranks each day. @throws when Temporal is away, or does not permit it. */
export const ensureRankSchedule = (client: Client, taskQueue: string): Promise<void> =>
  ensureSchedule(client, rankScheduleId(taskQueue), {
    spec: { calendars: [{ hour: TRACKING_HOUR_UTC, comment: 'Once a day' }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'trackRankings',
      workflowId: rankScheduleId(taskQueue),
      taskQueue,
      args: [] as Parameters<typeof trackRankings>,
      staticSummary: 'Rankings of the tracked keywords',
    },
    // A day that was missed is not made up for by two runs on the next.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '12 hours' },
  })

import { ScheduleOverlapPolicy } from '@temporalio/client'
import type { runRankTracking } from '../../../workflows/track-rankings'
import type { Schedule } from '../../temporal/schedule'
import { RUN_TIMEOUT_MS, TICK_MINUTES } from './policy'

/** The id of the schedule in Temporal: one for each task queue, like a deployment. */
export const rankScheduleId = (taskQueue: string): string => `track-rankings:${taskQueue}`

/** Starts a run of the projects that are due (contract 6.20). Most find none, and end at once. */
export const rankSchedule = (taskQueue: string): Schedule => ({
  scheduleId: rankScheduleId(taskQueue),
  spec: { intervals: [{ every: `${TICK_MINUTES}m` }] },
  action: {
    type: 'startWorkflow',
    workflowType: 'runRankTracking',
    workflowId: rankScheduleId(taskQueue),
    taskQueue,
    args: [] as Parameters<typeof runRankTracking>,
    workflowExecutionTimeout: RUN_TIMEOUT_MS,
    staticSummary: 'Rankings of the tracked keywords',
  },
  // A long run delays the next one, and does not replace it. Projects stay due, so no run needs to be caught up.
  policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: '15 minutes' },
})

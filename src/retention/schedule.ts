import { type Client, ScheduleOverlapPolicy } from '@temporalio/client'
import type { expire } from '../../workflows/expire'
import { ensureSchedule } from '../temporal/schedule'

/** Of the schedule in Temporal; one for each deployment, as the task queue is. */
export const expireScheduleId = (taskQueue: string): string => `expire:${taskQueue}`

/** Each hour, so that there is never much to do. @throws when Temporal is away, or does not permit it. */
export const ensureExpireSchedule = (client: Client, taskQueue: string): Promise<void> =>
  ensureSchedule(client, expireScheduleId(taskQueue), {
    spec: { intervals: [{ every: '1 hour' }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'expire',
      workflowId: expireScheduleId(taskQueue),
      taskQueue,
      args: [] as Parameters<typeof expire>,
      staticSummary: 'What is past its retention is deleted',
    },
    // A missed hour is made up for by the next one.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
  })

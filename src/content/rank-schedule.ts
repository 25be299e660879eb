import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client'
import type { trackRankings } from '../../workflows/track-rankings'
import { CALL_TIMEOUT_MS } from '../temporal/connect'
import { HOUR_UTC } from './rank-policy'

/** Of the schedule in Temporal; one for each deployment, as the task queue is. */
export const rankScheduleId = (taskQueue: string): string => `track-rankings:${taskQueue}`

/**
 * Makes the schedule that tracks ranks each day, or brings the one that is there up to date: whether an
 * operator has paused it stays. Any number of workers may do it at once.
 * @throws when Temporal is away, or does not permit it.
 */
export const ensureRankSchedule = async (client: Client, taskQueue: string): Promise<void> => {
  const scheduleId = rankScheduleId(taskQueue)
  const schedule = {
    spec: { calendars: [{ hour: HOUR_UTC, comment: 'Once a day' }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'trackRankings',
      workflowId: scheduleId,
      taskQueue,
      args: [] as Parameters<typeof trackRankings>,
      staticSummary: 'Rankings of the tracked keywords',
    },
    // A day that was missed is not made up for by two runs on the next.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '12 hours' as const },
  }
  await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    try {
      await client.schedule.create<typeof trackRankings>({ scheduleId, ...schedule })
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      await client.schedule
        .getHandle(scheduleId)
        .update<typeof trackRankings>(({ state }) => ({ ...schedule, state }))
    }
  })
}

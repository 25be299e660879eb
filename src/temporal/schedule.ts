import { type Client, ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client'

/**
 * For all calls of one, in ms. A schedule is a workflow of Temporal's own, and a busy server has taken more than the 5 s
 * of other calls to answer for one; nobody waits for it.
 */
const DEADLINE_MS = 30_000

/** What it starts when; no member may be left undefined. */
export type Schedule = Required<Pick<ScheduleOptions, 'spec' | 'action' | 'policies'>>

/**
 * Makes a schedule, or brings the one that is there up to date: whether an operator has paused it stays.
 * Any number of workers may do it at once.
 * @throws when Temporal is away, or does not permit it.
 */
export const ensureSchedule = async (
  client: Client,
  scheduleId: string,
  schedule: Schedule,
): Promise<void> => {
  await client.withDeadline(Date.now() + DEADLINE_MS, async () => {
    try {
      await client.schedule.create({ scheduleId, ...schedule })
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...schedule, state }))
    }
  })
}

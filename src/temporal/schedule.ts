import { type Client, ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client'

/**
 * Time-out for the calls of one schedule, in ms. A schedule is a workflow of Temporal itself; a busy server took more
 * than the 5 s of other calls to respond.
 */
const SCHEDULE_TIMEOUT_MS = 30_000

/** Every member is required: an update replaces all of them. */
export type Schedule = Required<
  Pick<ScheduleOptions, 'scheduleId' | 'spec' | 'action' | 'policies'>
>

/**
 * Creates a schedule, or updates the one that exists, unless `keep`. An update keeps its paused state. Concurrent
 * calls are harmless.
 * @throws while Temporal is unavailable, and without permission.
 */
export const ensureSchedule = async (
  client: Client,
  { scheduleId, ...schedule }: Schedule,
  { keep }: { keep: boolean },
): Promise<void> => {
  await client.withDeadline(Date.now() + SCHEDULE_TIMEOUT_MS, async () => {
    try {
      await client.schedule.create({ scheduleId, ...schedule })
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      if (keep) return
      await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...schedule, state }))
    }
  })
}

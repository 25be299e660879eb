import { createAvailability, runPeriodically } from '../availability'
import type { Config } from '../config'
import { publishSchedule } from '../content/articles/publish-schedule'
import { rankSchedule } from '../content/rankings/schedule'
import type { Log } from '../log'
import { expireSchedule } from '../retention/schedule'
import type { Temporal } from '../temporal/connection'
import { ensureSchedule } from '../temporal/schedule'
import type { SearchAttributeRegistration } from '../temporal/search-attributes'

/**
 * How often a worker checks that Temporal still has its schedules and search attributes, in ms: a scheduled article is
 * late by as much where Temporal has lost its store.
 */
const REGISTER_INTERVAL_MS = 60_000

/**
 * Creates the schedules, and then again and again what a lost store of Temporal lacks. In the background: a worker
 * without schedules only lacks these jobs.
 */
export const keepRegistered = async (
  { config, log }: { config: Config; log: Log },
  { client }: Temporal,
  attributes: SearchAttributeRegistration,
  signal: AbortSignal,
): Promise<void> => {
  let keep = false
  const register = async () => {
    await Promise.all([
      attributes.ensure(),
      ensureSchedule(client, rankSchedule(config.taskQueue), { keep }),
      ensureSchedule(client, expireSchedule(config.taskQueue), { keep }),
      ensureSchedule(client, publishSchedule(config.taskQueue), { keep }),
    ])
    keep = true
    return 'done' as const
  }
  const availability = createAvailability(
    log,
    'Schedules and search attributes in Temporal',
    'Daily rank tracking, the publication of scheduled articles and the deletion of expired events may not run. Check that Arden is allowed to create schedules in its namespace. It is tried again.',
  )
  await runPeriodically(register, REGISTER_INTERVAL_MS, availability, signal)
}

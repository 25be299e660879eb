import type { RankSchedule } from './schema'

/** The hour of the day, in the time zone of the project, at which its tracked keywords are checked. */
const RANK_HOUR = '04:00'
/** The day of a weekly run: Monday, as ISO 8601 numbers it. */
const RANK_WEEKDAY = 1
const DAYS_OF_WEEK = 7

/**
 * The first scheduled run of a project after `after`; null when none is scheduled. A time that the change to summer time
 * skips is an hour later.
 */
export const nextRankRunAt = (
  { rank_schedule, time_zone: timeZone }: { rank_schedule: RankSchedule; time_zone: string },
  after: Date,
): Date | null => {
  if (rank_schedule === 'off') return null
  // `Temporal` of JavaScript, which has time zones.
  const today = Temporal.Instant.fromEpochMilliseconds(after.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
  for (let days = 0; days <= DAYS_OF_WEEK; days++) {
    const day = today.add({ days })
    if (rank_schedule === 'weekly' && day.dayOfWeek !== RANK_WEEKDAY) continue
    const at = day.toZonedDateTime({ timeZone, plainTime: RANK_HOUR }).epochMilliseconds
    if (at > after.getTime()) return new Date(at)
  }
  return null
}

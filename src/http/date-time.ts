const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/

/** In ms. Nothing here is older than computers' time, and the API's own form has four digits of a year. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Whether `text` is a time as RFC 3339 writes it, that exists and lies between 1970 and 9999 in UTC, so
 * that Postgres, the driver and the API's answers all mean the same by it. The check Elysia brings for
 * `date-time` also takes "2026-02-30", "1/2/2026", and times of no zone, which would mean another moment
 * on each machine.
 */
export const isDateTime = (text: string): boolean => {
  const day = RFC_3339.exec(text)?.[1]
  if (day === undefined) return false
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return false
  const moment = Date.parse(text)
  return moment >= 0 && moment <= LAST_MS
}

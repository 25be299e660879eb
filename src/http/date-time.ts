const FORM =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/

/**
 * Whether `text` is a time as RFC 3339 writes it, that exists and that Postgres takes too. The check
 * Elysia brings for `date-time` also takes "2026-02-30", "1/2/2026", and times of no zone, which would
 * mean another moment on each machine.
 */
export const isDateTime = (text: string): boolean => {
  const day = FORM.exec(text)?.[1]
  if (day === undefined || day.startsWith('0000')) return false
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

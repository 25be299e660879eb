/** RFC 3339, with the years and the offsets that are accepted; also those that some languages write without a colon. */
export const DATE_TIME_PATTERN =
  '^((19[7-9]|[2-9]\\d\\d)\\d-\\d\\d-\\d\\d)T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-](0\\d|1[0-4]):?[0-5]\\d)$'

const RFC_3339 = new RegExp(DATE_TIME_PATTERN)

/** In ms. RFC 3339 and the API write a year with four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Whether `text` is an RFC 3339 date-time that exists, from 1970 to 9999 in UTC (contract 1.5). Elysia's own
 * `date-time` format also accepts "2026-02-30", "1/2/2026", and times without a zone.
 */
export const isDateTime = (text: string): boolean => {
  const day = RFC_3339.exec(text)?.[1]
  if (day === undefined) return false
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return false
  const moment = Date.parse(text)
  return moment >= 0 && moment <= LAST_MS
}

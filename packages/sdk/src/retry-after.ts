/** `Retry-After` in ms, from seconds or a date; undefined if missing or invalid. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  // `Date.parse` accepts many numbers as dates, such as 1.5.
  const ms = /^[A-Z]/i.test(text) ? Date.parse(text) - Date.now() : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** `Retry-After` in ms: seconds, or a date as some proxies write it. Undefined without one that can be read. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  // `Date.parse` would make a date of many a number, such as 1.5.
  const ms = /^[A-Z]/i.test(text) ? Date.parse(text) - Date.now() : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

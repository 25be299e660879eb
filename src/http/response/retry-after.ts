/** In ms. A provider that wants a longer pause is asked after this one, and can say so again. */
const MAX_RETRY_AFTER_MS = 300_000

/**
 * How long the answer of a provider asks us to wait, in whole ms, at most five minutes: `Retry-After` in
 * seconds or as a date, or the finer `retry-after-ms` of OpenAI. Undefined when it does not say.
 */
export const readRetryAfterMs = (headers: Headers | undefined): number | undefined => {
  const fine = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (fine >= 0) return Math.min(Math.ceil(fine), MAX_RETRY_AFTER_MS)
  const text = headers?.get('retry-after') ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS)
}

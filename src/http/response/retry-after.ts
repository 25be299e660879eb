/** In ms. A provider that needs a longer pause can ask for it again after this one. */
const MAX_RETRY_AFTER_MS = 300_000

/**
 * The pause that a provider's response asks for, in whole ms, at most five minutes: `Retry-After` in seconds
 * or as a date, or OpenAI's `retry-after-ms`. Undefined without either.
 */
export const readRetryAfterMs = (headers: Headers | undefined): number | undefined => {
  const fine = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (fine >= 0) return Math.min(Math.ceil(fine), MAX_RETRY_AFTER_MS)
  const text = headers?.get('retry-after') ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.ceil(ms)), MAX_RETRY_AFTER_MS)
}

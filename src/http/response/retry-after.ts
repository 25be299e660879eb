/** In ms. A provider that needs a longer pause can ask for it again after this one. */
export const MAX_RETRY_AFTER_MS = 300_000

/** `readRequestedPauseMs`, at most five minutes. */
export const readRetryAfterMs = (headers: Headers | undefined): number | undefined => {
  const requested = readRequestedPauseMs(headers)
  return requested && Math.min(requested, MAX_RETRY_AFTER_MS)
}

/**
 * The pause that a provider's response asks for, in whole ms, without a maximum: `Retry-After` in seconds or as a date,
 * or OpenAI's `retry-after-ms`. Undefined without either.
 */
export const readRequestedPauseMs = (headers: Headers | undefined): number | undefined => {
  const fine = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (fine >= 0) return Math.ceil(fine)
  const text = headers?.get('retry-after') ?? ''
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, Math.ceil(ms))
}

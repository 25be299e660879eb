/** What a provider still permits of one kind, such as requests: it refills to `limit` within `resetMs`. */
export type Quota = { remaining: number; limit: number | undefined; resetMs: number }

export type QuotaKind = 'requests' | 'tokens'

/**
 * The quotas in the headers of OpenAI and compatible APIs, `x-ratelimit-<limit|remaining|reset>-<requests|tokens>`, for
 * requests also without the last part, and of Anthropic, `anthropic-ratelimit-<requests|tokens>-<limit|remaining|reset>`.
 * A quota without `remaining` and `reset` is left out.
 */
export const readQuotas = (headers: Headers): Map<QuotaKind, Quota> => {
  const quotas = new Map<QuotaKind, Quota>()
  for (const kind of ['requests', 'tokens'] as const) {
    const read = (what: string) =>
      headers.get(`x-ratelimit-${what}-${kind}`) ??
      headers.get(`anthropic-ratelimit-${kind}-${what}`) ??
      (kind === 'requests' ? headers.get(`x-ratelimit-${what}`) : null)
    const remaining = readNumber(read('remaining'))
    const resetMs = readResetMs(read('reset'))
    if (remaining !== undefined && resetMs !== undefined)
      quotas.set(kind, { remaining, limit: readNumber(read('limit')), resetMs })
  }
  return quotas
}

const readNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Larger numbers are times since 1970, in seconds or in ms. */
const MAX_SECONDS = 1e9
const MAX_EPOCH_S = 1e11

/** `6m0s`, `1h2m3.5s`, `20ms`, seconds, a time since 1970, or as in RFC 3339. */
const readResetMs = (text: string | null): number | undefined => {
  const value = readNumber(text)
  if (value !== undefined) {
    if (value < MAX_SECONDS) return value * 1000
    return Math.max(0, (value < MAX_EPOCH_S ? value * 1000 : value) - Date.now())
  }
  if (text !== null && /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(Z|[+-]\d\d:\d\d)$/.test(text)) {
    const at = Date.parse(text)
    return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
  }
  if (text === null || !/^(\d{1,15}(\.\d{1,9})?(ms|s|m|h|d)){1,5}$/.test(text)) return undefined
  let ms = 0
  for (const [, number, unit = ''] of text.matchAll(/([\d.]{1,25})(ms|[smhd])/g))
    ms += Number(number) * (UNIT_MS[unit] ?? 0)
  return ms
}

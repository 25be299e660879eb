import { MAX_RETRY_AFTER_MS, readRequestedPauseMs } from '../../http/response/retry-after'
import type { Log } from '../../log'
import type { LimitedProvider, Meter } from '../../metrics/meter'
import { ADMISSION_TIMEOUT_MS } from './admission-timeout'
import { type Costs, createPace } from './pace'
import { readQuotas } from './quotas'

/** Without another 429 for this long after the pause, in ms, the limit ends. */
const CALM_MS = 300_000
/** The least time after which a request that was not admitted comes back, in ms. */
const MIN_RETURN_MS = 1_000

/**
 * The rate of this process's requests to one provider (contract 6.7). All of them slow down after a 429, and with the
 * quotas that the provider's responses report.
 */
export type ProviderLimiter = {
  /**
   * Resolves when a request may be sent, in the order of the calls. Undefined when that takes too long, or the worker
   * stops: come back after `returnMs()`. Rejects with the reason of `signal`.
   */
  admit: (signal: AbortSignal) => Promise<Admission | undefined>
  /** In ms. */
  returnMs: () => number
}

/** Permission for one request. Call at most one of the first two when its response begins, and `end` when it ends. */
export type Admission = {
  accepted: (headers: Headers) => void
  /** The provider responded with 429. */
  rateLimited: (headers: Headers | undefined) => void
  end: () => void
}

export type LimiterDeps = {
  log: Log
  meter: Meter
  /** Aborted when the worker stops: waiting requests end at once. */
  stopping: AbortSignal
}

/** What is limited. `host`: for the log. `effect`: what waits, for operators. `inFlight`: requests at a time. */
type Limited = {
  provider: LimitedProvider
  host: string
  effect: string
  costs: Costs
  inFlight?: number | undefined
}

/** One for each provider and process. */
export const createProviderLimiter = (
  { provider, host, effect, costs, inFlight = Number.POSITIVE_INFINITY }: Limited,
  { log, meter, stopping }: LimiterDeps,
): ProviderLimiter => {
  const pace = createPace(costs)
  const waiting: (() => void)[] = []
  /** Admitted requests: those that have no response yet, and those whose response has not ended. */
  let pending = 0
  let running = 0
  let isSlow = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let calm: ReturnType<typeof setTimeout> | undefined

  // Its metrics begin at 0.
  meter.recordProviderSlowed(provider, host, false)

  const now = () => performance.now()
  const returnMs = () =>
    Math.ceil(Math.max(MIN_RETURN_MS, pace.delayMs(now()) + waiting.length * pace.spacingMs()))

  /** Lets requests go as long as the pace permits, then waits until it permits the next. */
  const admitWaiting = () => {
    clearTimeout(timer)
    while (waiting.length > 0 && running < inFlight) {
      const delayMs = pace.delayMs(now())
      if (delayMs > 0) {
        timer = setTimeout(admitWaiting, Math.ceil(delayMs))
        return
      }
      pace.take(now())
      waiting.shift()?.()
    }
  }

  const noteSpeed = () => {
    if (isSlow === pace.isSlowed()) return
    isSlow = pace.isSlowed()
    meter.recordProviderSlowed(provider, host, isSlow)
    if (!isSlow) log.info({ host }, `${host}: requests are no longer slowed down.`)
  }

  const slowDown = (sentAt: number, headers: Headers | undefined) => {
    const requestedMs = headers && readRequestedPauseMs(headers)
    pace.onRateLimited(now(), sentAt, requestedMs)
    meter.recordRateLimited(provider, host)
    if (!isSlow)
      log.warn({ host }, describeSlowDown(host, requestedMs, pace.delayMs(now()), effect))
    noteSpeed()
    clearTimeout(calm)
    calm = setTimeout(() => {
      pace.clear()
      noteSpeed()
      admitWaiting()
    }, pace.delayMs(now()) + CALM_MS)
    calm.unref()
  }

  const createAdmission = (): Admission => {
    const sentAt = now()
    let isPending = true
    let isRunning = true
    pending++
    running++
    const endPending = () => {
      if (isPending) pending--
      isPending = false
    }
    const end = () => {
      endPending()
      if (!isRunning) return
      isRunning = false
      running--
      if (inFlight < Number.POSITIVE_INFINITY) admitWaiting()
    }
    const respond = (headers: Headers | undefined, apply: () => void) => {
      endPending()
      if (headers !== undefined) pace.setQuotas(now(), readQuotas(headers), pending)
      apply()
      admitWaiting()
    }
    return {
      accepted: headers =>
        respond(headers, () => {
          pace.onAccepted(sentAt)
          noteSpeed()
        }),
      rateLimited: headers => respond(headers, () => slowDown(sentAt, headers)),
      end,
    }
  }

  return {
    returnMs,
    admit: signal =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        const delayMs = pace.delayMs(now()) + waiting.length * pace.spacingMs()
        if (stopping.aborted || delayMs > ADMISSION_TIMEOUT_MS) return resolve(undefined)
        const settle = (how: () => void) => {
          clearTimeout(timeout)
          signal.removeEventListener('abort', onAbort)
          stopping.removeEventListener('abort', onLate)
          const index = waiting.indexOf(onAdmitted)
          if (index >= 0) waiting.splice(index, 1)
          how()
        }
        const onAdmitted = () => settle(() => resolve(createAdmission()))
        const onAbort = () => settle(() => reject(signal.reason))
        const onLate = () => settle(() => resolve(undefined))
        const timeout = setTimeout(onLate, ADMISSION_TIMEOUT_MS)
        signal.addEventListener('abort', onAbort)
        stopping.addEventListener('abort', onLate)
        waiting.push(onAdmitted)
        admitWaiting()
      }),
  }
}

const describeSlowDown = (
  host: string,
  requestedMs: number | undefined,
  delayMs: number,
  effect: string,
): string => {
  const seconds = Math.ceil(delayMs / 1000)
  const asked =
    requestedMs !== undefined && requestedMs > MAX_RETRY_AFTER_MS
      ? `, and asked for a pause of ${Math.ceil(requestedMs / 1000)} s, of which Arden waits at most ${MAX_RETRY_AFTER_MS / 1000} s at a time`
      : ''
  return `${host} responded with 429: its rate limit is exceeded${asked}. Requests pause for ${seconds} s and then continue slowly. ${effect}`
}

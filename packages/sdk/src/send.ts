import { type ArdenError, noResponseError, timeoutError } from './errors.js'
import { retryAfterMs } from './retry-after.js'
import { sleep } from './sleep.js'

export type SendOptions = {
  /** Maximum number of retries. */
  retries: number
  /** Timeout of each attempt until the response is complete, in ms. */
  timeoutMs: number
  /** Longest `Retry-After` to wait for, in ms. A longer one fails the call at once. */
  longestWaitMs: number
}

/** In ms. Doubles with each retry; a random part of up to half is subtracted. */
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 8_000

/** Statuses that a later attempt may not get. Proxies have 5xx statuses of their own. */
const isTransient = (status: number) => status === 408 || status === 429 || status >= 500
/** Whether the request had no effect. After a 503 without `Retry-After` it may still have one. */
const isRefused = (status: number | undefined, retryAfter: number | undefined) =>
  status === 429 || (status === 503 && retryAfter !== undefined)

/**
 * A `fetch` that retries transient failures with backoff, or after `Retry-After`. A retry must have no
 * further effect: a POST has an `Idempotency-Key`. A DELETE and a request with `If-Match`, whose repetition would be a
 * 404 or a 412, are only retried after a refusal. (Bun and Deno repeat a DELETE themselves on a broken connection, as
 * RFC 9110 permits.)
 * @throws {ArdenError} TIMEOUT, NO_RESPONSE. @throws the reason of the request's signal.
 */
export const createSend =
  ({ retries, timeoutMs, longestWaitMs }: SendOptions) =>
  async (request: Request): Promise<Response> => {
    const body = (await request.text()) || null
    for (let sent = 1; ; sent++) {
      const outcome = await sendOnce(request, body, timeoutMs)
      const wait = sent > retries ? undefined : retryDelay(outcome, request, sent)
      if (wait === undefined || wait > longestWaitMs) {
        if (outcome instanceof Response) return outcome
        throw outcome
      }
      await sleep(wait, request.signal)
    }
  }

const sendOnce = async (
  { url, method, headers, redirect, signal }: Request,
  body: string | null,
  timeoutMs: number,
): Promise<Response | ArdenError> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, timeout])
  try {
    const response = await fetch(url, { method, headers, body, redirect, signal: either })
    // Some statuses, such as 204, permit no body, not even an empty one.
    const text = (await response.text()) || null
    return new Response(text, { status: response.status, headers: response.headers })
  } catch (cause) {
    signal.throwIfAborted()
    return timeout.aborted ? timeoutError(url, timeoutMs, cause) : noResponseError(url, cause)
  }
}

/**
 * Delay before the next attempt in ms; undefined for no retry. `sent` is the number of attempts so far.
 */
const retryDelay = (outcome: Response | ArdenError, { method, headers }: Request, sent: number) => {
  const status = outcome instanceof Response ? outcome.status : undefined
  if (status !== undefined && !isTransient(status)) return undefined
  const isForOnce = method === 'DELETE' || headers.has('if-match')
  const retryAfter = outcome instanceof Response ? retryAfterMs(outcome.headers) : undefined
  if (isForOnce && !isRefused(status, retryAfter)) return undefined
  if (retryAfter !== undefined) return retryAfter
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (sent - 1), MAX_BACKOFF_MS)
  return backoff * (0.5 + Math.random() / 2)
}

import { ArdenError, noAnswer } from './errors.js'
import { retryAfterMs } from './retry-after.js'
import { sleep } from './sleep.js'

export type SendOptions = {
  /** How often a request is sent again. */
  retries: number
  /** In ms, for each time it is sent, until its answer has come whole. */
  timeoutMs: number
  /** In ms. Where the server asks for a longer wait, the call fails at once. */
  longestWaitMs: number
}

/** In ms: half of it and up to half more at random, doubled each time. */
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 8_000

/** Answers that a later request need not get; proxies have some of 5xx of their own. */
const isTransient = (status: number) => status === 408 || status === 429 || status >= 500
/** Those that say that nothing was done. */
const REFUSED_STATUSES: ReadonlySet<number> = new Set([429, 503])

/**
 * A `fetch` that sends a request again: after an answer that need not stay so, when `Retry-After` says, and
 * after none. What is repeated must come to the same, so a POST carries an `Idempotency-Key`; a DELETE,
 * whose repetition would be a 404, is repeated only where it was refused (Bun and Deno do it by themselves
 * on a kept connection that breaks, as RFC 9110 lets them). Answers are read whole.
 * @throws {ArdenError} TIMEOUT, NO_ANSWER. @throws the reason of the request's signal.
 */
export const createSend =
  ({ retries, timeoutMs, longestWaitMs }: SendOptions) =>
  async (request: Request): Promise<Response> => {
    const body = (await request.text()) || null
    for (let sent = 1; ; sent++) {
      const outcome = await sendOnce(request, body, timeoutMs)
      const wait = sent > retries ? undefined : retryDelay(outcome, request.method, sent)
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
    const answer = await fetch(url, { method, headers, body, redirect, signal: either })
    // Of some statuses, such as 204, no answer can be made with a text, an empty one included.
    const text = (await answer.text()) || null
    return new Response(text, { status: answer.status, headers: answer.headers })
  } catch (cause) {
    signal.throwIfAborted()
    return timeout.aborted
      ? new ArdenError(
          'TIMEOUT',
          `No answer from ${new URL(url).origin} within ${timeoutMs} ms. Try again later, or set a longer \`timeoutMs\`.`,
          { cause },
        )
      : noAnswer(url, cause)
  }
}

/** In ms; undefined when it is not to be sent again. `sent`: how often it was. */
const retryDelay = (outcome: Response | ArdenError, method: string, sent: number) => {
  const status = outcome instanceof Response ? outcome.status : undefined
  if (status !== undefined && !isTransient(status)) return undefined
  if (method === 'DELETE' && (status === undefined || !REFUSED_STATUSES.has(status)))
    return undefined
  const asked = outcome instanceof Response ? retryAfterMs(outcome.headers) : undefined
  if (asked !== undefined) return asked
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (sent - 1), MAX_BACKOFF_MS)
  return backoff * (0.5 + Math.random() / 2)
}

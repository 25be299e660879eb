import { ArdenError } from './errors.js'

export type Sending = {
  /** How often a request is sent again. */
  retries: number
  /** In ms, for each time it is sent, until its answer has come whole. */
  timeoutMs: number
  /** In ms. Where the server asks for a longer wait, the call fails at once. */
  longestWaitMs: number
}

/** In ms: half of it and up to half more at random, doubled each time. */
const FIRST_WAIT = 500
const LONGEST_BACKOFF = 8_000

/** Answers that a later request need not get. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** Those that say that nothing was done. */
const REFUSED: ReadonlySet<number> = new Set([429, 503])

/**
 * A `fetch` that sends a request again: after an answer that need not stay so, when `Retry-After` says, and
 * after none. What is repeated must come to the same, so a POST carries an `Idempotency-Key`; a DELETE,
 * whose repetition would be a 404, is repeated only where it was refused (Bun and Deno do it by themselves
 * on a kept connection that breaks, as RFC 9110 lets them). Answers are read whole.
 * @throws {ArdenError} TIMEOUT, NO_ANSWER. @throws the reason of the request's signal.
 */
export const createSend =
  ({ retries, timeoutMs, longestWaitMs }: Sending) =>
  async (request: Request): Promise<Response> => {
    const body = (await request.text()) || null
    for (let sent = 1; ; sent++) {
      const outcome = await sendOnce(request, body, timeoutMs)
      const wait = sent > retries ? undefined : waitAfter(outcome, request.method, sent)
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
    return new Response(await answer.text(), { status: answer.status, headers: answer.headers })
  } catch (cause) {
    signal.throwIfAborted()
    const { origin } = new URL(url)
    return timeout.aborted
      ? new ArdenError(
          'TIMEOUT',
          `No answer from ${origin} within ${timeoutMs} ms. Try again later, or set a longer \`timeoutMs\`.`,
          { cause },
        )
      : new ArdenError(
          'NO_ANSWER',
          `No answer from ${origin}: ${reasonOf(cause)}. Check \`url\` and that the server is up.`,
          { cause },
        )
  }
}

/** Node hides the reason behind "fetch failed". */
const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error && thrown.cause.message !== ''
    ? thrown.cause.message
    : thrown.message
}

/** In ms; undefined when it is not to be sent again. `sent`: how often it was. */
const waitAfter = (outcome: Response | ArdenError, method: string, sent: number) => {
  const status = outcome instanceof Response ? outcome.status : undefined
  if (status !== undefined && !PASSING.has(status)) return undefined
  if (method === 'DELETE' && (status === undefined || !REFUSED.has(status))) return undefined
  const asked = outcome instanceof Response ? retryAfter(outcome.headers) : undefined
  if (asked !== undefined) return asked
  const backoff = Math.min(FIRST_WAIT * 2 ** (sent - 1), LONGEST_BACKOFF)
  return backoff * (0.5 + Math.random() / 2)
}

/** `Retry-After` in ms: seconds, or a date as some proxies write it. */
const retryAfter = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    if (signal.aborted) aborted()
    else signal.addEventListener('abort', aborted, { once: true })
  })

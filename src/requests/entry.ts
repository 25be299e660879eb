import type { Caller, Mode } from '../caller'
import type { ErrorCode } from '../errors'
import { getCaller } from '../http/request/caller'
import type { FailedResponse } from '../http/request-observer'
import { getErrorBody } from '../http/response/error-body'
import { newId } from '../ids'

/** Characters of a path and of a message in the log. */
const PATH_MAX = 300
const MESSAGE_MAX = 500

/** Statuses that are only counted: a 401 names no caller that can be trusted, and 429s come in floods. */
const NOT_LOGGED: ReadonlySet<number> = new Set([401, 429])

/** Messages of errors whose own message quotes the body or a header. */
const WITHOUT_QUOTE: { [code: string]: string } = {
  INVALID_JSON: 'The body is not valid JSON.',
  UNSUPPORTED_MEDIA_TYPE:
    'The body is compressed, or its content type is missing or is not JSON in UTF-8. Send it uncompressed, with the header Content-Type: application/json.',
} satisfies { [code in ErrorCode]?: string }

/** A row of `failed_requests`: a request of a key or a user that ended with an error (contract 2.6). */
export type FailedRequestEntry = {
  id: string
  accountId: string
  mode: Mode
  requestId: string
  method: string
  route: string | null
  path: string
  status: number
  error: string
  message: string
  actor: Caller['actor']
  address: string
  durationMs: number
  /** When the response was complete, in ms since 1970. */
  at: number
}

/** The entry for a response with an error; undefined where the log has none. */
export const toFailedRequest = ({
  request,
  requestId,
  method,
  route,
  path,
  status,
  ms,
}: FailedResponse): FailedRequestEntry | undefined => {
  const caller = getCaller(request)
  const body = getErrorBody(request)
  if (caller === undefined || body === undefined || NOT_LOGGED.has(status)) return undefined
  return {
    id: newId('req'),
    accountId: caller.accountId,
    mode: caller.mode,
    requestId,
    method,
    route: route === 'none' ? null : route,
    path: toLoggedText(path, PATH_MAX),
    status,
    error: body.error,
    message: toLoggedText(WITHOUT_QUOTE[body.error] ?? body.message, MESSAGE_MAX),
    actor: caller.actor,
    address: caller.address,
    durationMs: Math.round(ms),
    at: Date.now(),
  }
}

/**
 * A text that PostgreSQL can store, without what may be a key, a token or a secret: paths are chosen by clients, and
 * messages repeat them. Ids of records have 30 characters at most, and UUIDs remain.
 */
const toLoggedText = (text: string, max: number): string => {
  const redacted = text
    .slice(0, 4 * max)
    .replace(/whsec_[\w+/=%-]+/g, redact)
    .replace(/[\w-]+/g, run => (run.length < SECRET_MIN || UUID.test(run) ? run : redact(run)))
  return (redacted.length <= max ? redacted : `${redacted.slice(0, max - 1)}…`)
    .replace(/\p{Cc}/gu, '\uFFFD')
    .toWellFormed()
}

/** Characters of the shortest run that may be a key. */
const SECRET_MIN = 32
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The beginning shows what it was: `ar_live_…`. */
const redact = (text: string) => `${text.slice(0, text.startsWith('whsec_') ? 6 : 8)}…`

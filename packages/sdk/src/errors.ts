import type { components } from './generated.js'
import { retryAfterMs } from './retry-after.js'

type Responses = components['responses']

/** The values of `error` in responses of the API. */
type ApiErrorCode = {
  [name in keyof Responses]: Responses[name]['content']['application/json']['error']
}[keyof Responses]

export type ErrorCode =
  | ApiErrorCode
  /** The POST is a repetition, and only the first response had the secret. */
  | 'SECRET_SHOWN_BEFORE'
  /** The response was not received completely within `timeoutMs`. */
  | 'TIMEOUT'
  /** The connection failed or was lost. */
  | 'NO_RESPONSE'
  /** A response that is not from Arden, for example from a proxy. */
  | 'UNEXPECTED_RESPONSE'

/** An error of one member of the request; `path` is dotted (`scopes.0`). */
export type Detail = { path: string; message: string }

/** Additional members of an error, by code. */
type Extras = {
  VALIDATION_ERROR: { readonly details: readonly Detail[] }
  /** In seconds. */
  TOO_MANY_REQUESTS: { readonly retryAfter: number }
  /** In seconds; undefined where a change may have been made, or may still be. */
  UNAVAILABLE: { readonly retryAfter: number | undefined }
  /** The record that the first call created, without its secret. */
  SECRET_SHOWN_BEFORE: { readonly record: { readonly id: string } }
}

type ErrorOptions = {
  status?: number
  requestId?: string | undefined
  cause?: unknown
  extras?: Extras[keyof Extras] | undefined
}

class CallError extends Error {
  override name = 'ArdenError'
  /** Status of the response; undefined without a response. */
  readonly status: number | undefined
  /** Id of the request in the server's logs. */
  readonly requestId: string | undefined
  constructor(
    readonly code: ErrorCode,
    message: string,
    { status, requestId, cause, extras }: ErrorOptions = {},
  ) {
    super(message, { cause })
    this.status = status
    this.requestId = requestId
    Object.assign(this, extras)
  }
}

/**
 * The only error of failed calls. After a comparison of `code`, TypeScript knows the additional members
 * (`details`, `retryAfter`, `record`). A newer server can have other codes.
 */
export type ArdenError = {
  [C in ErrorCode]: CallError & { readonly code: C } & (C extends keyof Extras
      ? Extras[C]
      : unknown)
}[ErrorCode]

// A class cannot be a union type; `instanceof` narrows to the type of the prototype.
export const ArdenError = CallError as unknown as {
  new (...args: ConstructorParameters<typeof CallError>): ArdenError
  readonly prototype: ArdenError
}

/** The error of a response. */
export const toArdenError = (response: Response, body: unknown): ArdenError => {
  const about = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  }
  if (!isErrorBody(body))
    return new ArdenError('UNEXPECTED_RESPONSE', describeUnexpected(response.status), about)
  return new ArdenError(body.error, body.message, { ...about, extras: readExtras(response, body) })
}

const describeUnexpected = (status: number): string =>
  // What a proxy responds with while Arden restarts, or does not respond to it.
  status >= 502 && status <= 504
    ? `Arden is not available: a proxy responded with ${status}. Try again later; if it stays, check that the server runs behind the proxy, and \`url\`.`
    : `The response with status ${status} is not from Arden, but from a proxy or another server. Check \`url\`.`

/** The error for a failed or lost connection to the server of `url`. */
export const noResponseError = (url: string, cause: unknown): ArdenError =>
  new ArdenError(
    'NO_RESPONSE',
    `No response from ${new URL(url).origin}: ${reasonOf(cause)}. Check \`url\` and that the server is running.`,
    { cause },
  )

/** The error for a response that did not come in time from the server of `url`. */
export const timeoutError = (url: string, timeoutMs: number, cause: unknown): ArdenError =>
  new ArdenError(
    'TIMEOUT',
    `No response from ${new URL(url).origin} within ${timeoutMs} ms. Try again later, or set a longer \`timeoutMs\`.`,
    { cause },
  )

/** Node hides the cause behind "fetch failed". */
const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error && thrown.cause.message !== ''
    ? thrown.cause.message
    : thrown.message
}

type ErrorBody = { error: ErrorCode; message: string; details?: Detail[] }

/** Accepts any code, because newer servers can have others. Those of other servers, such as "Not Found", are words. */
const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  /^[A-Z][A-Z0-9_]*$/.test(body.error) &&
  'message' in body &&
  typeof body.message === 'string'

const readExtras = (response: Response, { error, details }: ErrorBody) => {
  switch (error) {
    case 'VALIDATION_ERROR':
      return { details: details ?? [] }
    case 'TOO_MANY_REQUESTS':
      return { retryAfter: secondsOf(response) ?? 0 }
    case 'UNAVAILABLE':
      return { retryAfter: secondsOf(response) }
    default:
      return undefined
  }
}

const secondsOf = ({ headers }: Response): number | undefined => {
  const ms = retryAfterMs(headers)
  return ms === undefined ? undefined : Math.ceil(ms / 1000)
}

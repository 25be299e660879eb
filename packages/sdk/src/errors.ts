import type { components } from './generated.js'
import { retryAfterMs } from './retry-after.js'

type Responses = components['responses']

/** What the API answers in `error`. */
type ApiErrorCode = {
  [name in keyof Responses]: Responses[name]['content']['application/json']['error']
}[keyof Responses]

export type ErrorCode =
  | ApiErrorCode
  /** The call had happened before, and its secret was in the first answer only. */
  | 'SECRET_SHOWN_BEFORE'
  /** No whole answer came within `timeoutMs`. */
  | 'TIMEOUT'
  /** No connection, or it broke. */
  | 'NO_ANSWER'
  /** An answer that is not Arden's: of a proxy, or of something else at this URL. */
  | 'UNEXPECTED_ANSWER'

/** What is wrong with a member of the request; `path` is dotted (`scopes.0`). */
export type Detail = { path: string; message: string }

/** What some codes tell beside the message. */
type Extras = {
  VALIDATION_ERROR: { readonly details: readonly Detail[] }
  /** In seconds. */
  TOO_MANY_REQUESTS: { readonly retryAfter: number }
  UNAVAILABLE: { readonly retryAfter: number }
  /** The record that the first call made, without its secret. */
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
  /** Of the answer; undefined when none came. */
  readonly status: number | undefined
  /** Names the request in the server's logs. */
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
 * Why a call failed, the one class there is. `code` says which: once it is compared, what that code tells
 * beside its message has a type (`details`, `retryAfter`, `record`). A newer server may have other codes.
 */
export type ArdenError = {
  [C in ErrorCode]: CallError & { readonly code: C } & (C extends keyof Extras
      ? Extras[C]
      : unknown)
}[ErrorCode]

// A class cannot be declared as a union; `instanceof` narrows to the type of its prototype.
export const ArdenError = CallError as unknown as {
  new (...args: ConstructorParameters<typeof CallError>): ArdenError
  readonly prototype: ArdenError
}

/** The error that an answer tells. */
export const toArdenError = (response: Response, body: unknown): ArdenError => {
  const about = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  }
  if (!isErrorBody(body))
    return new ArdenError(
      'UNEXPECTED_ANSWER',
      `The answer ${response.status} is not one of Arden's: a proxy's, or that of something else at this address. Check \`url\`.`,
      about,
    )
  return new ArdenError(body.error, body.message, { ...about, extras: readExtras(response, body) })
}

/** No connection to the server of `url`, or the connection broke. */
export const noAnswer = (url: string, cause: unknown): ArdenError =>
  new ArdenError(
    'NO_ANSWER',
    `No answer from ${new URL(url).origin}: ${reasonOf(cause)}. Check \`url\` and that the server is up.`,
    { cause },
  )

/** Node hides the reason behind "fetch failed". */
const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error && thrown.cause.message !== ''
    ? thrown.cause.message
    : thrown.message
}

type ErrorBody = { error: ErrorCode; message: string; details?: Detail[] }

/** Any text counts as a code: those of newer servers as well. */
const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  'message' in body &&
  typeof body.message === 'string'

const readExtras = (response: Response, { error, details }: ErrorBody) => {
  switch (error) {
    case 'VALIDATION_ERROR':
      return { details: details ?? [] }
    case 'TOO_MANY_REQUESTS':
    case 'UNAVAILABLE':
      return { retryAfter: Math.ceil((retryAfterMs(response.headers) ?? 0) / 1000) }
    default:
      return undefined
  }
}

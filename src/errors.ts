/**
 * All errors of a request. Domain code throws them without knowing HTTP; `http/response/errors.ts` maps each
 * to its status (contract 2.2).
 */
export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNAUTHORIZED'
  | 'PLAN_LIMIT_REACHED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | 'TOO_MANY_REQUESTS'
  | 'UNAVAILABLE'

export type Detail = { path: string; message: string }

/** An error for the caller: its message is in the response. */
export class DomainError extends Error {
  override name = 'DomainError'
  /** One entry per wrong member; only for VALIDATION_ERROR. */
  readonly details: Detail[] | undefined
  constructor(
    readonly code: ErrorCode,
    message: string,
    { details, ...options }: ErrorOptions & { details?: Detail[] } = {},
  ) {
    super(message, options)
    this.details = details
  }
}

/** A limit was reached. The response has `Retry-After: <retryAfterSeconds>`. */
export class TooManyRequests extends DomainError {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super('TOO_MANY_REQUESTS', message)
  }
}

/** A change that may be made although its response is an error. The response has no `Retry-After`. */
export class Unconfirmed extends DomainError {
  constructor(message: string, options: ErrorOptions) {
    super('UNAVAILABLE', message, options)
  }
}

/** Errors in the message itself; `details` has the others. */
export const DETAILS_IN_MESSAGE = 3

/** An error about one or more members of the request. `path` is dotted: `scopes.0`. */
export const invalidMembers = (details: readonly Detail[]) =>
  new DomainError(
    'VALIDATION_ERROR',
    [
      ...details.slice(0, DETAILS_IN_MESSAGE).map(({ path, message }) => `${path}: ${message}`),
      ...(details.length > DETAILS_IN_MESSAGE
        ? [`${details.length - DETAILS_IN_MESSAGE} more in details`]
        : []),
    ]
      // A message can be sentences.
      .map((text, n, all) => (n < all.length - 1 ? text.replace(/\.$/, '') : text))
      .join('; '),
    { details: [...details] },
  )

export const invalid = (path: string, message: string) => invalidMembers([{ path, message }])

/** The end of messages about an unknown id, which pages replace: their users follow links and type no ids. */
export const CHECK_ID = 'Check the id.'
export const CHECK_ID_AND_MODE = 'Check the id and the mode, live or test.'

/** The same error for an unknown id and for a record of another account or mode (contract 2.4). */
export const notFound = (what: string, id: string) =>
  new DomainError('NOT_FOUND', `No ${what} with the id ${id} exists here. ${CHECK_ID_AND_MODE}`)

/** The same where no mode can be the reason: accounts, people and what is theirs. */
export const notFoundWithoutMode = (what: string, id: string) =>
  new DomainError('NOT_FOUND', `No ${what} with the id ${id} exists here. ${CHECK_ID}`)

export const conflict = (message: string) => new DomainError('CONFLICT', message)

/** Exit codes of commands, for scripts (docs/cli.md). */
export const EXIT = {
  failed: 1,
  /** Invalid command line. */
  usage: 2,
  /** The database or the API is unavailable. */
  unreachable: 3,
  /** The API refused the request; the message has the reason. */
  refused: 4,
} as const

type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/**
 * An error that the operator can fix: a setting, a port, a data folder, a refused request. The command prints
 * its message without a stack, and exits with `exitCode`.
 */
export class StartError extends Error {
  override name = 'StartError'
  readonly exitCode: ExitCode
  /** `exitCode` defaults to that of a failure. */
  constructor(message: string, options: ErrorOptions & { exitCode?: ExitCode } = {}) {
    super(message, options)
    this.exitCode = options.exitCode ?? EXIT.failed
  }
}

/**
 * The closed set of things that can be wrong with a request. Domain code throws these and knows
 * nothing of HTTP; `http/response/errors.ts` holds the one table from code to status (contract 2.2).
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
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | 'TOO_MANY_REQUESTS'
  | 'UNAVAILABLE'

export type Detail = { path: string; message: string }

/** A refusal that is meant for the caller: its message is shown as it is. */
export class DomainError extends Error {
  override name = 'DomainError'
  constructor(
    readonly code: ErrorCode,
    message: string,
    /** What was wrong, member by member; only for VALIDATION_ERROR. */
    readonly details?: Detail[],
  ) {
    super(message)
  }
}

/** One member of the request is wrong. `path` is the member's name, dotted (`scopes.0`). */
export const invalid = (path: string, message: string) =>
  new DomainError('VALIDATION_ERROR', `${path}: ${message}`, [{ path, message }])

/** The same answer for "no such id", "another account's" and "the other mode's" (contract 2.4). */
export const notFound = (what: string, id: string) =>
  new DomainError(
    'NOT_FOUND',
    `No ${what} with the id ${id} exists here. Check the id and the key's mode.`,
  )

export const conflict = (message: string) => new DomainError('CONFLICT', message)

/** How a command ended, for scripts (docs/cli.md). */
export const EXIT = {
  failed: 1,
  /** The command line is not one it takes. */
  usage: 2,
  /** The database or the API does not answer. */
  unreachable: 3,
  /** It answered, and said no: the message says why. */
  refused: 4,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/**
 * What cannot go on, and a person can mend: a setting, a port, a data folder, a refusal. The command prints
 * its message as one line, without a stack, and ends with `exitCode`.
 */
export class StartError extends Error {
  override name = 'StartError'
  readonly exitCode: ExitCode
  /** `exitCode` is that for a failure when absent. */
  constructor(message: string, options: ErrorOptions & { exitCode?: ExitCode } = {}) {
    super(message, options)
    this.exitCode = options.exitCode ?? EXIT.failed
  }
}

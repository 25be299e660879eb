import type { Context } from 'elysia'
import {
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isLockTimeout,
  LockTimeout,
} from '../../db/connect'
import { DomainError, type ErrorCode, TooManyRequests, Unconfirmed } from '../../errors'
import type { Log } from '../../log'
import { ClientAbort } from '../request/body'
import type { ErrorBody } from './error-body'

/** HTTP status of each error code (contract 2.2). */
const HTTP_STATUS: { [code in ErrorCode]: number } = {
  INVALID_JSON: 400,
  UNAUTHORIZED: 401,
  PLAN_LIMIT_REACHED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  TOO_MANY_REQUESTS: 429,
  UNAVAILABLE: 503,
}

/**
 * Of an upload that the client cut off, as in nginx. No client gets it: metrics and the access log count it apart
 * from failures.
 */
const CLIENT_ABORT_STATUS = 499

/** `Retry-After` of a 503, in seconds. The pool reconnects every second. */
const RETRY_AFTER_S = 2

/** Errors that are thrown before the body was read. */
const BODY_NOT_READ: ReadonlySet<ErrorCode> = new Set(['PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT'])

export const statusOf = (code: ErrorCode): number => HTTP_STATUS[code]

/** For `catch`: a 503 with `message` for work that waited too long for its turn; any other error stays. */
export const explainLockTimeout =
  (message: string) =>
  (error: unknown): never => {
    throw error instanceof LockTimeout ? new DomainError('UNAVAILABLE', message) : error
  }

/**
 * Maps a thrown error to its status and body (contract 2.1): domain errors by `HTTP_STATUS`, an unavailable
 * database to 503. An upload that the client cut off is not a failure. Any other error is a 500 without its cause,
 * which is logged with the request id (contract 2.5).
 */
export const toErrorResponse = (thrown: unknown, set: Context['set'], log: Log): ErrorBody => {
  const error = toDomainError(thrown)
  if (error !== undefined) {
    set.status = HTTP_STATUS[error.code]
    if (error.code === 'UNAVAILABLE' && !(error instanceof Unconfirmed))
      set.headers['retry-after'] = String(RETRY_AFTER_S)
    if (error instanceof TooManyRequests)
      set.headers['retry-after'] = String(error.retryAfterSeconds)
    // The rest of the body is not read, so the connection cannot be reused.
    if (BODY_NOT_READ.has(error.code)) set.headers.connection = 'close'
    return {
      error: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    }
  }
  const requestId = set.headers['x-request-id']
  if (isClientAbort(thrown)) {
    log.debug({ request_id: requestId }, 'the client closed the connection during the upload')
    set.status = CLIENT_ABORT_STATUS
    return { error: 'CLIENT_ABORT', message: 'The client closed the connection.' }
  }
  log.error({ err: thrown, request_id: requestId }, 'a request failed unexpectedly')
  set.status = 500
  return {
    error: 'INTERNAL_ERROR',
    message: `Internal error. Try again; if it happens again, report the request id ${requestId}.`,
  }
}

/** Elysia wraps errors of a parser. */
const isClientAbort = (thrown: unknown): boolean =>
  thrown instanceof ClientAbort || (thrown instanceof Error && thrown.cause instanceof ClientAbort)

const toDomainError = (thrown: unknown): DomainError | undefined => {
  if (thrown instanceof DomainError) return thrown
  if (isDatabaseUnavailable(thrown))
    return new DomainError(
      'UNAVAILABLE',
      `The database is unavailable. Try again in ${RETRY_AFTER_S} seconds.`,
    )
  if (isLockTimeout(thrown))
    return new DomainError(
      'UNAVAILABLE',
      `Timed out waiting for a lock on this record. Nothing was changed. Try again in ${RETRY_AFTER_S} seconds.`,
    )
  if (isForeignKeyViolation(thrown))
    return new DomainError(
      'CONFLICT',
      'A record that this one refers to was deleted at the same time. Nothing was changed. Try again.',
    )
  if (!(thrown instanceof Error)) return undefined
  // Elysia wraps errors of a parser, and has its own error for an unknown path.
  if (thrown.cause instanceof DomainError) return thrown.cause
  if ('code' in thrown && thrown.code === 'NOT_FOUND')
    return new DomainError('NOT_FOUND', 'There is no such route. See /docs for the API.')
  return undefined
}

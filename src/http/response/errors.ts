import type { Context } from 'elysia'
import { isDatabaseUnavailable, isForeignKeyViolation, isLockTimeout } from '../../db/connect'
import { type Detail, DomainError, type ErrorCode } from '../../errors'
import type { Log } from '../../log'
import { isValidationError, validationError } from '../request/validation'

/** The one table from what went wrong to the HTTP status (contract 2.2). */
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
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  TOO_MANY_REQUESTS: 429,
  UNAVAILABLE: 503,
}

/** Seconds a client should wait when the database is away or held up: its pool retries each second. */
const RETRY_AFTER_S = 2

/** Errors that come before the body has come. */
const BODY_NOT_READ: ReadonlySet<ErrorCode> = new Set(['PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT'])

export type ErrorBody = { error: string; message: string; details?: Detail[] }

export const statusOf = (code: ErrorCode): number => HTTP_STATUS[code]

/**
 * The answer to a thrown error: a domain error as the table says, a database that is away as 503, and
 * anything else as a 500 that shows nothing of its cause, which goes to the log under the request's id.
 */
export const toErrorResponse = (thrown: unknown, set: Context['set'], log: Log): ErrorBody => {
  const error = toDomainError(thrown)
  if (error !== undefined) {
    set.status = HTTP_STATUS[error.code]
    if (error.code === 'UNAVAILABLE') set.headers['retry-after'] = String(RETRY_AFTER_S)
    // The rest of the body is neither read nor waited for.
    if (BODY_NOT_READ.has(error.code)) set.headers.connection = 'close'
    return {
      error: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    }
  }
  const requestId = set.headers['x-request-id']
  log.error({ err: thrown, request_id: requestId }, 'a request failed unexpectedly')
  set.status = 500
  return {
    error: 'INTERNAL_ERROR',
    message: `Something went wrong on our side. Try again; if it stays, report the request id ${requestId}.`,
  }
}

const toDomainError = (thrown: unknown): DomainError | undefined => {
  if (thrown instanceof DomainError) return thrown
  if (isValidationError(thrown)) return validationError(thrown)
  if (isDatabaseUnavailable(thrown))
    return new DomainError(
      'UNAVAILABLE',
      `The database cannot be reached at the moment. Try again in ${RETRY_AFTER_S} seconds.`,
    )
  if (isLockTimeout(thrown))
    return new DomainError(
      'UNAVAILABLE',
      `What this request needs is being changed by others for too long. Nothing was changed. Try again in ${RETRY_AFTER_S} seconds.`,
    )
  if (isForeignKeyViolation(thrown))
    return new DomainError(
      'CONFLICT',
      'A record that this one refers to was deleted at this moment. Nothing was changed.',
    )
  if (!(thrown instanceof Error)) return undefined
  // Elysia wraps what a parser throws, and has its own error for a path that no route takes.
  if (thrown.cause instanceof DomainError) return thrown.cause
  if ('code' in thrown && thrown.code === 'NOT_FOUND')
    return new DomainError(
      'NOT_FOUND',
      'There is nothing at this path. The API is described at /docs.',
    )
  return undefined
}

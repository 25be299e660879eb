import { t } from 'elysia'
import type { ErrorCode } from '../../errors'
import { IDEMPOTENCY_HOURS } from '../idempotency'
import { BODY_TIMEOUT_MS } from '../request/body'
import { statusOf } from '../response/errors'
import { OneOf } from '../schema'
import { headerReferences } from './headers'

/** For each error code when it occurs (contract 2.2), and an example message. */
const ERRORS: { [code in ErrorCode | 'INTERNAL_ERROR']: [when: string, message: string] } = {
  INVALID_JSON: ['The body is not valid JSON.', 'The body is not valid JSON: Unexpected EOF.'],
  UNAUTHORIZED: [
    'The key is missing, malformed, unknown, revoked or expired.',
    'The Authorization header is missing. Send `Authorization: Bearer <API_KEY>`.',
  ],
  PLAN_LIMIT_REACHED: [
    'A live generation exceeds the monthly quota of the account.',
    'The plan allows 100 live generations a month, and none is left. The next month begins on 2026-02-01 (UTC). Use test mode until then, or ask the operator for a larger plan.',
  ],
  FORBIDDEN: [
    'The key lacks the required scope, or a test key requested live records.',
    'This call needs the scope "write"; the key key_01kafz3v5tf4qrm8z3x9d2c7ne has only "read". Use a key that has it.',
  ],
  NOT_FOUND: [
    'The path or the id does not exist, or the record belongs to another account or mode.',
    'No article with the id art_01kafz3v5tf4qrm8z3x9d2c7ne exists here. Check the id and the mode, live or test.',
  ],
  METHOD_NOT_ALLOWED: [
    'The path does not support the method; `Allow` lists those it supports.',
    '/api/public/v1/articles does not support PUT. Use GET, HEAD, POST.',
  ],
  REQUEST_TIMEOUT: [
    `The body was not received within ${BODY_TIMEOUT_MS / 1000} s.`,
    `The body was not received completely within ${BODY_TIMEOUT_MS / 1000} s. Send it faster, or send a smaller body.`,
  ],
  CONFLICT: [
    'The state of the record does not permit the request, or a limit of the account is reached.',
    'The key key_01kafz3v5tf4qrm8z3x9d2c7ne was revoked at 2026-01-31T12:00:00.000Z and cannot be changed or used again. Create a new key.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    `The Idempotency-Key was used for another request in the last ${IDEMPOTENCY_HOURS} hours.`,
    `This Idempotency-Key was used for another request in the last ${IDEMPOTENCY_HOURS} hours: another path or body. Use a new one for a new request.`,
  ],
  PRECONDITION_FAILED: [
    '`If-Match` is not the current `ETag` of the record.',
    'The record has changed since it was read: If-Match is not its current ETag. Nothing was changed. Read it again, and send the change with the new ETag.',
  ],
  PAYLOAD_TOO_LARGE: [
    'The body is larger than 1 MiB.',
    'The body is larger than 1024 KiB (1048576 bytes). Send a smaller body.',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    'The content type of the body is not JSON, or the body is compressed.',
    'The content type of the body is text/plain. Send JSON in UTF-8 with the header Content-Type: application/json.',
  ],
  VALIDATION_ERROR: [
    'Members of the request are missing, wrong or unknown; `details` lists them.',
    'name: is required',
  ],
  TOO_MANY_REQUESTS: [
    'The hourly rate limit of the key is exceeded, or the key or its account has too many unread responses; `Retry-After` has the seconds to wait.',
    'Rate limit of 1000 requests per hour exceeded. Try again in 12 seconds.',
  ],
  INTERNAL_ERROR: [
    'An internal error of Arden.',
    'Internal error. Try again; if it happens again, report the request id 0b7f7c52-6f0e-4c55-9a53-0d4c5a4f7f10.',
  ],
  UNAVAILABLE: [
    'The database is unavailable, a lock was not released in time, or a read took too long; `Retry-After` has the seconds to wait. Without it, a change may have been made, or may still be.',
    'Timed out waiting for a lock on this record. Nothing was changed. Try again in 2 seconds.',
  ],
}

const INTERNAL_STATUS = 500
const statusOfAny = (code: string) =>
  code === 'INTERNAL_ERROR' ? INTERNAL_STATUS : statusOf(code as ErrorCode)

const CODES = Object.keys(ERRORS) as (keyof typeof ERRORS)[]

const Detail = t.Object(
  {
    path: t.String({ description: 'Path of the member, such as `scopes.0`.' }),
    message: t.String(),
  },
  { title: 'ErrorDetail' },
)

/** `{"error", "message"}`, and `details` for VALIDATION_ERROR (contract 2.1). */
const errorSchema = (codes: (keyof typeof ERRORS)[]) =>
  t.Object({
    error: OneOf(codes),
    message: t.String({ description: 'What happened, why, and what to do next.' }),
    ...(codes.includes('VALIDATION_ERROR') && { details: t.Optional(t.Array(Detail)) }),
  })

const errorExample = (code: keyof typeof ERRORS) => ({
  error: code,
  message: ERRORS[code][1],
  ...(code === 'VALIDATION_ERROR' && { details: [{ path: 'name', message: 'is required' }] }),
})

/**
 * `components.responses` of the document: one for each status, with an example for each of its codes.
 */
export const errorResponseComponents = Object.fromEntries(
  [...new Set(CODES.map(statusOfAny))].map(status => {
    const codes = CODES.filter(code => statusOfAny(code) === status)
    return [
      `Error${status}`,
      {
        description: codes.map(code => `\`${code}\`: ${ERRORS[code][0]}`).join(' '),
        headers: headerReferences(status),
        content: {
          'application/json': {
            schema: errorSchema(codes),
            examples: Object.fromEntries(codes.map(code => [code, { value: errorExample(code) }])),
          },
        },
      },
    ]
  }),
)

/** 422 too: every query is checked (contract 1.7). */
const COMMON_STATUSES = [401, 403, 422, 429, INTERNAL_STATUS, 503]
/** Statuses of calls that can have a body. */
const BODY_STATUSES = [400, 408, 413, 415]
/** Statuses of calls that can have an `Idempotency-Key`. */
const IDEMPOTENCY_STATUSES = [409]

/** The errors of every operation with this method, by status. */
export const commonErrors = (method: string) =>
  errorReferences([
    ...COMMON_STATUSES,
    ...(method === 'get' ? [] : BODY_STATUSES),
    ...(method === 'post' ? IDEMPOTENCY_STATUSES : []),
  ])

export const errorReferences = (statuses: number[]) =>
  Object.fromEntries(
    statuses.map(status => [status, { $ref: `#/components/responses/Error${status}` }]),
  )

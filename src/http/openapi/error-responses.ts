import { t } from 'elysia'
import type { ErrorCode } from '../../errors'
import { IDEMPOTENCY_HOURS } from '../idempotency'
import { BODY_TIMEOUT_MS } from '../request/body'
import { statusOf } from '../response/errors'
import { OneOf } from '../schema'
import { headerReferences } from './headers'

/** When each error comes (contract 2.2), and a message it comes with. */
const ERRORS: { [code in ErrorCode | 'INTERNAL_ERROR']: [when: string, message: string] } = {
  INVALID_JSON: ['The body does not parse.', 'The body is not valid JSON: Unexpected EOF.'],
  UNAUTHORIZED: [
    'The key is missing, malformed, unknown, revoked or expired.',
    'The Authorization header is missing. Send `Authorization: Bearer <API_KEY>`.',
  ],
  PLAN_LIMIT_REACHED: [
    'A live generation over the monthly quota of the account.',
    'The plan allows 100 live generations a month, and none is left. The next month begins on 2026-02-01 (UTC). Use a test key until then, or have the plan raised.',
  ],
  FORBIDDEN: [
    'The key lacks the scope, or asks for live records with a test key.',
    'This call needs the scope "write"; the key key_01kafz3v5tf4qrm8z3x9d2c7ne has only "read". Use a key that has it.',
  ],
  NOT_FOUND: [
    'No such record, or one of another account or mode.',
    "No article with the id art_01kafz3v5tf4qrm8z3x9d2c7ne exists here. Check the id and the key's mode.",
  ],
  METHOD_NOT_ALLOWED: [
    'The path takes other methods; `Allow` lists them.',
    '/api/public/v1/articles takes GET, HEAD, POST, not PUT.',
  ],
  REQUEST_TIMEOUT: [
    `The body did not come whole within ${BODY_TIMEOUT_MS / 1000} s.`,
    `The body did not come whole within ${BODY_TIMEOUT_MS / 1000} s. Send it faster, or less of it.`,
  ],
  CONFLICT: [
    'The record is not in a state that allows it.',
    'The key key_01kafz3v5tf4qrm8z3x9d2c7ne was revoked at 2026-01-31T12:00:00.000Z and cannot be changed or used again. Create a new key.',
  ],
  IDEMPOTENCY_KEY_REUSED: [
    `The Idempotency-Key was used for another request in the last ${IDEMPOTENCY_HOURS} hours.`,
    `This Idempotency-Key was used for another request in the last ${IDEMPOTENCY_HOURS} hours: another path or body. Use a new one for a new request.`,
  ],
  PAYLOAD_TOO_LARGE: [
    'The body is over 1 MiB.',
    'The body is larger than 1 MiB (1048576 bytes). Send less.',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    'The body is not said to be JSON.',
    'The body says it is text/plain. Send JSON with the header Content-Type: application/json.',
  ],
  VALIDATION_ERROR: [
    'Members of the request are missing, wrong or unknown; `details` has them all.',
    'name: is required',
  ],
  TOO_MANY_REQUESTS: [
    "The key's hourly limit is reached; `Retry-After` says for how long.",
    'Rate limit of 1000 requests per hour exceeded. Try again in 12 seconds.',
  ],
  INTERNAL_ERROR: [
    'A fault of ours.',
    'Something went wrong on our side. Try again; if it stays, report the request id 0b7f7c52-6f0e-4c55-9a53-0d4c5a4f7f10.',
  ],
  UNAVAILABLE: [
    'The database is away or held up; `Retry-After` says for how long.',
    'The database cannot be reached at the moment. Nothing was changed. Try again in 2 seconds.',
  ],
}

const INTERNAL_STATUS = 500
const statusOfAny = (code: string) =>
  code === 'INTERNAL_ERROR' ? INTERNAL_STATUS : statusOf(code as ErrorCode)

const CODES = Object.keys(ERRORS) as (keyof typeof ERRORS)[]

const Detail = t.Object({
  path: t.String({ description: 'The member, dotted: `scopes.0`.' }),
  message: t.String(),
})

/** `{"error", "message"}`, and `details` for a validation (contract 2.1). */
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

/** The `components.responses` of the document: one for each status, with an example for each of its codes. */
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

const COMMON_STATUSES = [401, 403, 429, INTERNAL_STATUS, 503]
/** What a call that may have a body can be answered with. */
const BODY_STATUSES = [400, 408, 413, 415, 422]
/** What a call that may have an Idempotency-Key can be answered with. */
const IDEMPOTENCY_STATUSES = [409]

/** The errors of an operation by its method: document.ts adds them to what the route says. */
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

import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import type { ErrorCode } from '../errors'
import { statusOf } from './errors'

/** `{"error", "message"}`, and `details` for a validation (contract 2). */
const ErrorSchema = t.Object({
  error: t.String(),
  message: t.String(),
  details: t.Optional(t.Array(t.Object({ path: t.String(), message: t.String() }))),
})

/** Every answer that is an error, by status: its code, when it comes, and a message. */
const ERRORS: { [status: number]: [error: string, when: string, message: string] } = {
  400: ['INVALID_JSON', 'The body does not parse.', 'The body is not valid JSON: Unexpected EOF.'],
  401: [
    'UNAUTHORIZED',
    'The key is missing, malformed, unknown, revoked or expired.',
    'The Authorization header is missing. Send `Authorization: Bearer <API_KEY>`.',
  ],
  402: [
    'PLAN_LIMIT_REACHED',
    'A live generation over the monthly quota of the account.',
    'The plan allows 100 generations a month, and all are used. It starts anew on 2026-02-01.',
  ],
  403: [
    'FORBIDDEN',
    'The key lacks the scope, or asks for live records with a test key.',
    'This call needs the scope "write"; the key has only "read". Use a key that has it.',
  ],
  404: [
    'NOT_FOUND',
    'No such path, or no such record here.',
    'No article with this id exists here.',
  ],
  405: [
    'METHOD_NOT_ALLOWED',
    'The path takes other methods; `Allow` lists them.',
    'It takes GET, not PUT.',
  ],
  409: ['CONFLICT', 'The record is not in a state that allows it.', 'The key is revoked.'],
  413: [
    'PAYLOAD_TOO_LARGE',
    'The body is over 1 MiB.',
    'The body is larger than 1 MiB. Send less.',
  ],
  415: [
    'UNSUPPORTED_MEDIA_TYPE',
    'The body is not said to be JSON.',
    'The body says it is text/plain.',
  ],
  422: ['VALIDATION_ERROR', 'A member is missing, wrong or unknown.', 'title: is required'],
  429: [
    'TOO_MANY_REQUESTS',
    "The key's hourly limit is reached; `Retry-After` says for how long.",
    'Rate limit of 1000 requests per hour exceeded. Try again in 12 seconds.',
  ],
  500: ['INTERNAL_ERROR', 'A fault of ours.', 'Something went wrong on our side. Try again.'],
  503: [
    'UNAVAILABLE',
    'The database is away; `Retry-After` says for how long.',
    'Try again in 2 seconds.',
  ],
}

/** The `components.responses` of the document. */
export const errorResponses = Object.fromEntries(
  Object.entries(ERRORS).map(([status, [error, description, message]]) => [
    `Error${status}`,
    {
      description: `\`${error}\`: ${description}`,
      content: { 'application/json': { schema: ErrorSchema, example: { error, message } } },
    },
  ]),
)

const EVERY_CALL = [401, 403, 429, 500, 503]
/** What a call that may have a body can be answered with. */
const WITH_BODY = [400, 413, 415, 422]

const references = (statuses: number[]) =>
  Object.fromEntries(
    statuses.map(status => [status, { $ref: `#/components/responses/Error${status}` }]),
  )

/** The errors of an operation by its method: http/openapi.ts adds them to what the route says. */
export const commonErrors = (method: string) =>
  references(method === 'get' ? EVERY_CALL : [...EVERY_CALL, ...WITH_BODY])

type Operation = {
  summary: string
  description?: string
  tags: [string]
  /** The one status of success and its body. */
  answers: { status: 200 | 201 | 202; description: string; schema: TSchema }
  /** Beyond what every call and every body can get. */
  errors?: ErrorCode[]
}

/**
 * A route's `detail`: its part of the OpenAPI document. Responses are described here and not in Elysia's
 * `response`, which would check each answer after the change is committed and turn a deviation into a
 * 500; the tests check every answer against the document instead.
 */
export const operation = ({ summary, description, tags, answers, errors = [] }: Operation) => ({
  summary,
  ...(description === undefined ? {} : { description }),
  tags,
  responses: {
    [answers.status]: {
      description: answers.description,
      content: { 'application/json': { schema: answers.schema } },
    },
    ...references(errors.map(statusOf)),
  },
})

import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import type { ErrorCode } from '../../errors'
import { statusOf } from '../response/errors'
import { errorReferences } from './error-responses'

type Operation = {
  summary: string
  description?: string
  tags: [string]
  /** The one status of success and its body. */
  success: { status: 200 | 201 | 202; description: string; schema: TSchema }
  /** Beyond what every call, every body and every Idempotency-Key can get. */
  errors?: ErrorCode[]
}

/**
 * A route's `detail`: its part of the OpenAPI document. Responses are described here and not in Elysia's
 * `response`, which would check each answer after the change is committed and turn a deviation into a
 * 500; the tests check every answer against the document instead. What follows from the method or from a
 * schema is added by document.ts: scope, headers, common errors, examples.
 */
export const operation = ({ success: { status, description, schema }, ...about }: Operation) =>
  detail(about, { [status]: { description, content: { 'application/json': { schema } } } })

/**
 * The same for an answer that goes on: server-sent events, of which `example` is one. `requestHeaders`:
 * those it takes beyond what every request may carry.
 */
export const streamOperation = ({
  example,
  requestHeaders,
  ...about
}: Omit<Operation, 'success'> & {
  example: string
  requestHeaders: { [name: string]: { description: string; schema: TSchema } }
}) => ({
  ...detail(about, {
    200: {
      description: 'Events, until either side ends it.',
      content: { 'text/event-stream': { schema: t.String(), example } },
    },
  }),
  requestHeaders,
})

const detail = <Responses extends object>(
  { summary, description, tags, errors = [] }: Omit<Operation, 'success'>,
  success: Responses,
) => ({
  summary,
  ...(description === undefined ? {} : { description }),
  tags,
  responses: { ...success, ...errorReferences(errors.map(statusOf)) },
})

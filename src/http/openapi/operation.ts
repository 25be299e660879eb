import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import type { ErrorCode } from '../../errors'
import { statusOf } from '../response/errors'
import { errorReferences } from './error-responses'

type Operation = {
  /** The name of the call in generated clients: a verb and the record, such as `createArticle`. */
  operationId: string
  summary: string
  description?: string
  tags: [string]
  /** The successful response. */
  success: { status: 200 | 201 | 202; description: string; schema: TSchema }
  /** Errors beyond those of every call with this method. */
  errors?: ErrorCode[]
  /** The successful response has an `ETag` (contract 1.11). */
  hasEtag?: boolean
  /** Headers that only this operation supports. */
  requestHeaders?: RequestHeaders
}

type RequestHeaders = { [name: string]: { description: string; schema: TSchema } }

/**
 * A route's `detail`, its part of the OpenAPI document. Responses are described here instead of in Elysia's
 * `response`, which would validate them after the commit and turn a mismatch into a 500; tests validate them
 * instead. `document.ts` adds scope, headers, common errors, links and examples.
 */
export const operation = ({
  success: { status, description, schema },
  hasEtag = false,
  requestHeaders = {},
  ...about
}: Operation) => ({
  ...detail(about, {
    [status]: {
      description,
      content: { 'application/json': { schema } },
      ...(hasEtag && { headers: { ETag: { $ref: '#/components/headers/ETag' } } }),
    },
  }),
  requestHeaders,
})

/**
 * The same for a response of server-sent events; `example` is one of them.
 */
export const streamOperation = ({
  example,
  requestHeaders,
  ...about
}: Omit<Operation, 'success' | 'hasEtag'> & {
  example: string
  requestHeaders: RequestHeaders
}) => ({
  ...detail(about, {
    200: {
      description: 'Events, until the client or the server closes the stream.',
      content: { 'text/event-stream': { schema: t.String(), example } },
    },
  }),
  requestHeaders,
})

/** The same for a response that is a file; `examples` has one for each content type. */
export const fileOperation = ({
  examples,
  ...about
}: Omit<Operation, 'success' | 'hasEtag' | 'requestHeaders'> & {
  examples: { [contentType: string]: string }
}) =>
  detail(about, {
    200: {
      description: 'The file.',
      content: Object.fromEntries(
        Object.entries(examples).map(([contentMediaType, example]) => [
          contentMediaType,
          { schema: t.String({ format: 'binary', contentMediaType }), example },
        ]),
      ),
      headers: { 'Content-Disposition': { $ref: '#/components/headers/Content-Disposition' } },
    },
  })

const detail = <Responses extends object>(
  {
    operationId,
    summary,
    description,
    tags,
    errors = [],
  }: Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags' | 'errors'>,
  success: Responses,
) => ({
  operationId,
  summary,
  ...(description === undefined ? {} : { description }),
  tags,
  responses: { ...success, ...errorReferences(errors.map(statusOf)) },
})

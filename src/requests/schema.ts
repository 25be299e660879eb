import { t } from 'elysia'
import { METHODS } from '../http/methods'
import { Id, Integer, Nullable, OneOf, Timestamp, type TypeOf } from '../http/schema'

/** A request of the request log (contract 2.6). */
export const FailedRequest = t.Object(
  {
    id: Id('req'),
    request_id: t.String({
      description:
        'The `X-Request-Id` of the response. Clients can choose it, so several requests can have the same.',
      examples: ['6f1c1b0e-3f5f-4b5e-9c39-0d8c2f1f7a51'],
    }),
    method: OneOf(METHODS, { examples: ['POST'] }),
    route: Nullable(t.String(), {
      description: 'The path with names of parameters. Null where no route has this path.',
      examples: ['/api/public/v1/articles/:id'],
    }),
    path: t.String({
      description:
        'Without the query, at most 300 characters. Long texts that may be a key or a secret are cut off.',
      examples: ['/api/public/v1/articles/art_01kafz3v5tf4qrm8z3x9d2c7ne'],
    }),
    status: Integer({ examples: [404] }),
    error: t.String({ description: 'The code of the error.', examples: ['NOT_FOUND'] }),
    message: t.String({
      description: 'The message of the response, at most 500 characters.',
      examples: ['No article with the id art_01kafz3v5tf4qrm8z3x9d2c7ne exists here.'],
    }),
    actor: t.Object(
      {
        type: OneOf(['key', 'user']),
        id: t.String({ examples: ['key_01kafz3v5tf4qrm8z3x9d2c7ne'] }),
        name: t.String({
          description:
            'The name of the API key, or the email address of the user of the dashboard.',
          examples: ['Website'],
        }),
      },
      { title: 'RequestActor' },
    ),
    address: t.String({ description: 'The IP address of the client.', examples: ['203.0.113.7'] }),
    duration_ms: Integer({ examples: [12] }),
    created_at: Timestamp,
  },
  { title: 'FailedRequest' },
)
export type FailedRequest = TypeOf<typeof FailedRequest>

import { t } from 'elysia'
import {
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_KEY_PATTERN,
  REPLAYED_HEADER,
} from '../idempotency'
import { Integer } from '../schema'

/** The headers of requests and responses in the OpenAPI document (contract 1.9, 6.12). */

const REQUEST_ID = 'X-Request-Id'

const REQUEST_ID_EXAMPLE = '0b7f7c52-6f0e-4c55-9a53-0d4c5a4f7f10'

const etagSchema = t.String({ examples: ['"k3Vd0pXb2mZ8sQ1yT6wLrA"'] })

/** The request header of a change that only applies to a known version (contract 1.11). */
export const ifMatchHeader = {
  'If-Match': {
    description:
      'The `ETag` of the record as you read it. If the record has changed since then, the response is a 412 and nothing is changed.',
    schema: etagSchema,
  },
}

/** `components.headers` of the document. */
export const headerComponents = {
  [REQUEST_ID]: {
    description:
      'Id of this request, also in the logs of the server. Your own, if you sent a valid one.',
    schema: t.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', examples: [REQUEST_ID_EXAMPLE] }),
  },
  'RateLimit-Policy': {
    description: 'The rate limit of the key: `q` requests in any `w` seconds.',
    schema: t.String({ examples: ['"default";q=1000;w=3600'] }),
  },
  RateLimit: {
    description: 'The remaining requests `r`; one more becomes free in `t` seconds.',
    schema: t.String({ examples: ['"default";r=999;t=3600'] }),
  },
  ETag: {
    description: 'The version of the record, for `If-Match`.',
    schema: etagSchema,
  },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266).',
    schema: t.String({ examples: ['attachment; filename="ten-ways-to-brew-coffee.md"'] }),
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: Integer({ minimum: 0, examples: [12] }),
  },
  Allow: {
    description: 'The methods that the path supports.',
    schema: t.String({ examples: ['GET, HEAD, POST'] }),
  },
  'WWW-Authenticate': { schema: t.String({ examples: ['Bearer'] }) },
  [REPLAYED_HEADER]: {
    description: `This is the stored response of the first request with this ${IDEMPOTENCY_HEADER}; the request was not executed again.`,
    schema: t.Literal('true', { examples: ['true'] }),
  },
}

/** `components.parameters` of the document. */
export const headerParameterComponents = {
  [REQUEST_ID]: {
    name: REQUEST_ID,
    in: 'header',
    description:
      'Your own id for this request: 1 to 64 characters of `A-Za-z0-9_-`. Another value is accepted and replaced.',
    schema: t.String({ examples: [REQUEST_ID_EXAMPLE] }),
  },
  [IDEMPOTENCY_HEADER]: {
    name: IDEMPOTENCY_HEADER,
    in: 'header',
    description: `A unique key for this request, kept ${IDEMPOTENCY_HOURS} hours for each API key. A repeated request gets the stored response, with \`${REPLAYED_HEADER}: true\` and without secrets. Only 2xx responses are stored.`,
    schema: t.String({
      pattern: IDEMPOTENCY_KEY_PATTERN,
      examples: ['5f0c9c1e-8d5b-4a0e-9d2f-3f1f1f0f7a11'],
    }),
  },
}

/** The headers of a response, by its status and method. */
export const headerReferences = (status: number, method?: string) => {
  const names: (keyof typeof headerComponents)[] = [
    REQUEST_ID,
    ...(status === 401
      ? (['WWW-Authenticate'] as const)
      : (['RateLimit-Policy', 'RateLimit'] as const)),
    ...(status === 405 ? (['Allow'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(status < 300 && method === 'post' ? ([REPLAYED_HEADER] as const) : []),
  ]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The headers that a request with this method can have. */
export const headerParameterReferences = (method: string) =>
  [REQUEST_ID, ...(method === 'post' ? [IDEMPOTENCY_HEADER] : [])].map(name => ({
    $ref: `#/components/parameters/${name}`,
  }))

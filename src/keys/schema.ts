import { t } from 'elysia'
import { withRule } from '../http/rule'
import {
  Id,
  Integer,
  NonBlank,
  Nullable,
  PatchBody,
  RequestBody,
  Time,
  Timestamp,
  type TypeOf,
} from '../http/schema'

export const RATE_LIMIT_MAX = 100_000
/** Requests per hour of a key that is created without `rate_limit` (contract 3.6). */
export const RATE_LIMIT_DEFAULT = 1000

const Name = NonBlank({ maxLength: 100, examples: ['Production'] })

const Mode = t.Union([t.Literal('live'), t.Literal('test')], {
  description: '`live` counts against the plan, `test` is free and sees only test-mode records.',
})

/** Named, because generators of clients make wrong code for a set of values without a name. */
const Scope = t.Union([t.Literal('read'), t.Literal('write')], { title: 'Scope' })

const Scopes = t.Array(Scope, {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  description:
    '`read` allows GET; `write` allows everything `read` allows, and POST, PATCH, DELETE.',
  examples: [['read', 'write']],
})

const RateLimit = Integer({
  minimum: 1,
  maximum: RATE_LIMIT_MAX,
  description: 'Requests in any hour (sliding window).',
  examples: [RATE_LIMIT_DEFAULT],
})

/** An API key as the API returns it (contract 3.5). */
export const ApiKey = t.Object(
  {
    id: Id('key'),
    name: Name,
    scopes: Scopes,
    prefix: t.String({
      description: 'The first 12 characters of the value.',
      examples: ['ar_live_4fQ7'],
    }),
    mode: Mode,
    test_mode: t.Boolean(),
    rate_limit: RateLimit,
    status: t.Union([t.Literal('active'), t.Literal('revoked'), t.Literal('expired')]),
    expires_at: Nullable(Timestamp, { examples: [null] }),
    last_used_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
    revoked_at: Nullable(Timestamp, { examples: [null] }),
  },
  { title: 'ApiKey' },
)
export type ApiKey = TypeOf<typeof ApiKey>

/** The record with its value: the response of create and regenerate, and of no other call (contract 3.4). */
export const ApiKeyWithValue = t.Composite(
  [
    ApiKey,
    t.Object({
      key: t.String({
        description:
          'The full value. Only this response contains it; it cannot be retrieved later.',
        examples: ['ar_live_4fQ7bXq2Lr9Tz0NcVd8Wk3Ym6PsHj1GuAe5Bo7'],
      }),
    }),
  ],
  { title: 'ApiKeyWithValue' },
)
export type ApiKeyWithValue = TypeOf<typeof ApiKeyWithValue>

/** The body of `POST /api-keys`. */
export const NewApiKey = RequestBody(
  {
    name: Name,
    scopes: Scopes,
    mode: t.Optional(Mode),
    rate_limit: t.Optional(RateLimit),
    expires_at: t.Optional(
      withRule(
        Time({ description: 'In the future.', examples: ['2036-01-31T12:00:00.000Z'] }),
        at =>
          Date.parse(at) > Date.now()
            ? undefined
            : 'must be a time in the future. Leave it out for no expiry.',
      ),
    ),
  },
  { title: 'ApiKeyInput' },
)
export type NewApiKey = TypeOf<typeof NewApiKey>

/** The body of `PATCH /api-keys/<id>`. */
export const ApiKeyChanges = PatchBody(
  { name: Name, rate_limit: RateLimit },
  { title: 'ApiKeyChanges' },
)
export type ApiKeyChanges = TypeOf<typeof ApiKeyChanges>

export const KeyStatusFilter = t.Union(
  [t.Literal('active'), t.Literal('revoked'), t.Literal('expired'), t.Literal('all')],
  { description: 'Default `active`.' },
)
export type KeyStatusFilter = TypeOf<typeof KeyStatusFilter>

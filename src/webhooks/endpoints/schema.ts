import { t } from 'elysia'
import { withRule } from '../../http/rule'
import {
  Id,
  Integer,
  MapOf,
  Nullable,
  PatchBody,
  RequestBody,
  Timestamp,
  type TypeOf,
} from '../../http/schema'
import { Subscription } from '../events/schema'
import { EVENT_TYPES } from '../events/types'
import { showSecret } from '../signing/secret'
import { describeUrlProblem, URL_MAX_CHARACTERS } from '../transport/address'
import { findHeaderProblems, HEADER_NAME, HEADERS_MAX, MASKED } from './custom-headers'

const URL_EXAMPLE = 'https://example.com/hooks'
const DESCRIPTION_EXAMPLE = 'Publishes to the blog'

const ORDERED =
  'While true, events are sent in the order in which their changes were committed, one at a time: the next is sent when the one before it is DELIVERED or FAILED.'

/** Webhook schemas of the API: contract 4.1 to 4.5. */
export const Webhook = t.Object(
  {
    id: Id('wh'),
    url: t.String({ examples: [URL_EXAMPLE] }),
    events: t.Array(Subscription),
    enabled: t.Boolean({ examples: [true] }),
    ordered: t.Boolean({ description: ORDERED, examples: [false] }),
    description: Nullable(t.String({ examples: [DESCRIPTION_EXAMPLE] })),
    disabled_reason: Nullable(t.String({ description: 'Why it is disabled.' }), {
      examples: [null],
    }),
    // No constant: generators of clients would name an enum by it.
    headers: MapOf(t.String(), {
      maxProperties: HEADERS_MAX,
      description: 'The names of its custom headers. Values are never shown.',
      examples: [{ Authorization: MASKED }],
    }),
    paused: t.Boolean({
      description: 'While true, nothing is sent, and deliveries wait until the webhook is resumed.',
      examples: [false],
    }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Webhook' },
)
export type Webhook = TypeOf<typeof Webhook>

const SECRET_EXAMPLE = '6b1f0c3a9de24c57b8a06f12e4d39c8570ab4de1f6273c98b5d01e8f3a7c4962'

/** The response that creates a webhook or rotates its secret: the only ones with the secret. */
export const WebhookWithSecret = t.Composite(
  [
    Webhook,
    t.Object({
      secret: t.String({
        pattern: '^[0-9a-f]{64}$',
        description:
          'In this response only. The HMAC key of signatures is the ASCII text of these 64 characters.',
        examples: [SECRET_EXAMPLE],
      }),
      standard_webhooks_secret: t.String({
        pattern: '^whsec_[A-Za-z0-9+/]{86}==$',
        description: 'The same secret as the libraries of Standard Webhooks take it.',
        examples: [showSecret(SECRET_EXAMPLE).standard_webhooks_secret],
      }),
    }),
  ],
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = TypeOf<typeof WebhookWithSecret>

const DESCRIPTION_MAX_CHARACTERS = 500

const HeaderValue = t.String({
  minLength: 1,
  maxLength: 1024,
  pattern: '^[!-~]([ -~]*[!-~])?$',
  description: 'Visible ASCII characters, with spaces between them.',
  examples: ['Bearer 4f1c9e'],
})
const HEADERS = {
  maxProperties: HEADERS_MAX,
  propertyNames: { pattern: HEADER_NAME },
  examples: [{ Authorization: 'Bearer 4f1c9e' }],
}
const NOT_RESERVED =
  'Not among them: `Host`, `Content-Type`, `User-Agent`, `X-Webhook-*`, `webhook-*`, and headers of the connection.'

const HTTP_URL = '^[Hh][Tt][Tt][Pp][Ss]?://'

const members = {
  // `checkWebhookUrl` checks the scheme and the addresses that are permitted here.
  url: withRule(
    t.String({
      pattern: HTTP_URL,
      maxLength: URL_MAX_CHARACTERS,
      description:
        'Public HTTPS URL that receives deliveries by POST: at most 2,048 characters, no credentials, no fragment.',
      examples: [URL_EXAMPLE],
    }),
    text =>
      new RegExp(HTTP_URL).test(text)
        ? describeUrlProblem(text)
        : `must start with https://, or where the operator permits it with http://, such as ${URL_EXAMPLE}`,
  ),
  events: t.Array(Subscription, {
    minItems: 1,
    maxItems: EVENT_TYPES.length + 1,
    uniqueItems: true,
    description:
      'The event types that it is subscribed to; `*` is all, also those that are added later.',
    examples: [['article.published', 'generation.completed']],
  }),
  enabled: t.Boolean({
    description: 'While false, nothing is sent, and events are kept as FAILED deliveries.',
    examples: [true],
  }),
  ordered: t.Boolean({ description: ORDERED, examples: [true] }),
  description: Nullable(
    t.String({ maxLength: DESCRIPTION_MAX_CHARACTERS, examples: [DESCRIPTION_EXAMPLE] }),
  ),
}

export const WebhookInput = RequestBody(
  {
    url: members.url,
    events: members.events,
    enabled: t.Optional(members.enabled),
    ordered: t.Optional(members.ordered),
    description: t.Optional(members.description),
    headers: t.Optional(
      withRule(
        MapOf(HeaderValue, {
          ...HEADERS,
          description: `Headers to send with each delivery, by name. ${NOT_RESERVED}`,
        }),
        findHeaderProblems,
      ),
    ),
  },
  { title: 'WebhookInput' },
)
export type WebhookInput = TypeOf<typeof WebhookInput>

export const WebhookChanges = PatchBody(
  {
    ...members,
    headers: withRule(
      MapOf(Nullable(HeaderValue), {
        ...HEADERS,
        description: `Headers to set by name, or to remove with null. Others stay as they are. ${NOT_RESERVED}`,
      }),
      findHeaderProblems,
    ),
  },
  { title: 'WebhookChanges' },
)
export type WebhookChanges = TypeOf<typeof WebhookChanges>

export const OVERLAP_MAX_SECONDS = 86_400

export const Rotation = RequestBody(
  {
    overlap_seconds: t.Optional(
      Integer({
        minimum: 0,
        maximum: OVERLAP_MAX_SECONDS,
        description:
          'For how long `webhook-signature` also carries a signature by the previous secret, and by those whose overlap runs still. Default 0, which ends their overlaps as well.',
        examples: [3600],
      }),
    ),
  },
  { title: 'SecretRotationInput' },
)

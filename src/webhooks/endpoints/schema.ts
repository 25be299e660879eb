import { t } from 'elysia'
import {
  Id,
  Integer,
  Nullable,
  OneOf,
  PatchBody,
  RequestBody,
  Timestamp,
  type TypeOf,
} from '../../http/schema'
import { EVENT_TYPES } from '../events/types'

/** Schemas of webhooks: what the routes take and answer (contract 4.1, 4.2). */
export const EventTypeName = OneOf(EVENT_TYPES, {
  description: 'One of the nine event types.',
  examples: ['article.published'],
})

const URL_EXAMPLE = 'https://example.com/hooks'
const DESCRIPTION_EXAMPLE = 'Publishes to the blog'

const ORDERED =
  'While true, events arrive in the order of their commits, one at a time: the next is sent once the one before it is DELIVERED or FAILED.'

export const Webhook = t.Object(
  {
    id: Id('wh'),
    url: t.String({ examples: [URL_EXAMPLE] }),
    events: t.Array(EventTypeName),
    enabled: t.Boolean({ examples: [true] }),
    ordered: t.Boolean({ description: ORDERED, examples: [false] }),
    description: Nullable(t.String({ examples: [DESCRIPTION_EXAMPLE] })),
    disabled_reason: Nullable(t.String({ description: 'Why it is disabled, in words.' }), {
      examples: [null],
    }),
    paused: t.Boolean({
      description: 'While true, nothing is sent, and everything waits until it is resumed.',
      examples: [false],
    }),
    test_mode: t.Boolean(),
    created_at: Timestamp,
  },
  { title: 'Webhook' },
)
export type Webhook = TypeOf<typeof Webhook>

/** The one answer that shows the secret: of the creation or rotation that made it. */
export const WebhookWithSecret = t.Composite(
  [
    Webhook,
    t.Object({
      secret: t.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'Shown in this response only. Signatures are keyed with these 64 characters.',
        examples: ['6b1f0c3a9de24c57b8a06f12e4d39c8570ab4de1f6273c98b5d01e8f3a7c4962'],
      }),
    }),
  ],
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = TypeOf<typeof WebhookWithSecret>

const DESCRIPTION_MAX_CHARACTERS = 500

const members = {
  url: t.String({
    description:
      'Public HTTPS URL that receives deliveries by POST: at most 2,048 characters, no credentials, no fragment.',
    examples: [URL_EXAMPLE],
  }),
  // A plain string to the validator: an unknown type is refused with the list of the nine (store.ts).
  events: t.Array(t.String({ enum: [...EVENT_TYPES] }), {
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    uniqueItems: true,
    description: 'The event types it subscribes to.',
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

export const WebhookInput = RequestBody({
  url: members.url,
  events: members.events,
  enabled: t.Optional(members.enabled),
  ordered: t.Optional(members.ordered),
  description: t.Optional(members.description),
})
export type WebhookInput = TypeOf<typeof WebhookInput>

export const WebhookChanges = PatchBody(members)
export type WebhookChanges = TypeOf<typeof WebhookChanges>

const OVERLAP_MAX_SECONDS = 86_400

export const Rotation = RequestBody({
  overlap_seconds: t.Optional(
    Integer({
      minimum: 0,
      maximum: OVERLAP_MAX_SECONDS,
      description:
        'For how long `webhook-signature` is also made with the previous secret. 0 when absent.',
      examples: [3600],
    }),
  ),
})

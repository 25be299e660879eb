import { t } from 'elysia'
import { exampleOf } from '../../http/openapi/example'
import { Id, Timestamp } from '../../http/schema'
import { EventData } from './schema'
import { EVENT_TYPES, type EventType } from './types'

/** Contract 4.6. */
const FIRES_WHEN: { [type in EventType]: string } = {
  'article.created': 'An article record is created (draft or published).',
  'article.updated': 'Any field of an article changes.',
  'article.published': 'An article moves to `PUBLISHED`.',
  'article.deleted': 'An article is hard-deleted.',
  'keyword.created': 'A keyword is added to a project.',
  'keyword.ranked': 'New SERP ranking data arrives for a tracked keyword.',
  'generation.started': 'A generation job is picked up from the queue.',
  'generation.completed': 'A generation finishes successfully (the article is ready).',
  'generation.failed': 'A generation fails; the payload includes the error.',
}

/** The body of every delivery: contract 4.7. */
const envelope = (type: EventType) =>
  t.Object(
    {
      id: Id('evt'),
      event: t.Literal(type),
      created_at: Timestamp,
      data: EventData[type],
    },
    { title: titleOf(type) },
  )

/** `article.created`: `ArticleCreatedEvent`. */
const titleOf = (type: EventType) =>
  `${type.replaceAll(/(?:^|\.)([a-z])/g, (_, first: string) => first.toUpperCase())}Event`

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: t.String({ examples: [example] }),
})

/** Contract 4.8. */
const headers = (type: EventType) => [
  header('X-Webhook-Event', 'The event type.', type),
  header(
    'X-Webhook-Delivery-Id',
    'Identical on every attempt: use it to deduplicate.',
    'dlv_01kafz3v5tf4qrm8z3x9d2c7ne',
  ),
  header('X-Webhook-Timestamp', 'When the attempt began.', '2026-01-31T12:00:00.000Z'),
  header(
    'X-Webhook-Signature',
    '`sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, keyed with the secret of the webhook.',
    `sha256=${'0123456789abcdef'.repeat(4)}`,
  ),
  header('webhook-id', 'The delivery id.', 'dlv_01kafz3v5tf4qrm8z3x9d2c7ne'),
  header('webhook-timestamp', 'When the attempt began, in seconds since 1970.', '1769860800'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in Base64. Two signatures with a space between them during the overlap after a rotation.',
    'v1,ASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8=',
  ),
]

/** The `webhooks` section of the OpenAPI document: the request that Arden sends for each event type. */
export const webhookDocument = Object.fromEntries(
  EVENT_TYPES.map(type => [
    type,
    {
      post: {
        summary: FIRES_WHEN[type],
        // Of its own: generators write a file for each tag, and this one would replace that of `GET /events`.
        tags: ['Webhook events'],
        security: [],
        parameters: headers(type),
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: envelope(type), example: exampleOf(envelope(type)) },
          },
        },
        responses: {
          '2XX': {
            description: 'Received. Any other status, or no response within 30 s, is a failure.',
          },
        },
      },
    },
  ]),
)

import { t } from 'elysia'
import { Id, Integer, Nullable, OneOf, Timestamp, type TypeOf } from '../../http/schema'
import { ALL_EVENTS, EVENT_TYPES, type EventType } from './types'

export const EventTypeName = OneOf(EVENT_TYPES, {
  title: 'EventType',
  description: 'One of the nine event types.',
  examples: ['article.published'],
})

/** What a webhook is subscribed to (contract 4.1). */
export const Subscription = OneOf([...EVENT_TYPES, ALL_EVENTS], {
  title: 'Subscription',
  description: 'An event type, or `*` for all, also those that are added later.',
  examples: ['article.published'],
})
export type Subscription = TypeOf<typeof Subscription>

/** `data` of an `article.published`, for the examples of the OpenAPI document. */
export const EVENT_DATA_EXAMPLE = {
  article_id: 'art_01kafz3v5tf4qrm8z3x9d2c7ne',
  project_id: 'prj_01kafz3v5tf4qrm8z3x9d2c7ne',
  keyword_id: null,
  title: 'Ten ways to brew coffee',
  status: 'PUBLISHED',
}

const Keyword = t.String({ examples: ['coffee brewing'] })

const ids = { article_id: Id('art'), project_id: Id('prj') }
const article = {
  ...ids,
  keyword_id: Nullable(Id('kw')),
  title: t.String({ examples: ['Ten ways to brew coffee'] }),
  status: OneOf(['DRAFT', 'PUBLISHED']),
}
const generation = { generation_id: Id('gen'), project_id: Id('prj'), keyword: Keyword }

/** `data` of each event type: exactly the members of contract 7. */
export const EventData = {
  'article.created': t.Object(article),
  'article.updated': t.Object({
    ...article,
    changed: t.Array(t.String(), {
      description: 'The names of the fields that changed.',
      examples: [['title', 'slug']],
    }),
  }),
  'article.published': t.Object(article),
  'article.deleted': t.Object(ids),
  'keyword.created': t.Object({ keyword_id: Id('kw'), project_id: Id('prj'), keyword: Keyword }),
  'keyword.ranked': t.Object({
    keyword_id: Id('kw'),
    project_id: Id('prj'),
    keyword: Keyword,
    position: Nullable(Integer(), {
      description: '1 to 100; null when the site was not found.',
      examples: [7],
    }),
    previous_position: Nullable(Integer(), { examples: [12] }),
    url: Nullable(t.String({ examples: ['https://example.com/coffee'] })),
    checked_at: Timestamp,
  }),
  'generation.started': t.Object({ ...generation, status: t.Literal('RUNNING') }),
  'generation.completed': t.Object({
    ...generation,
    article_id: Id('art'),
    status: t.Literal('COMPLETED'),
  }),
  'generation.failed': t.Object({
    ...generation,
    status: t.Literal('FAILED'),
    error: t.Object({
      code: t.String({ examples: ['provider_timeout'] }),
      message: t.String({ examples: ['The language model was silent for 90 seconds.'] }),
    }),
  }),
} as const

export type EventData = { [type in EventType]: TypeOf<(typeof EventData)[type]> }

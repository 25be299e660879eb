/** The event types in the order of `GET /webhooks/events` (contract 4.6). */
export const EVENT_TYPES = [
  'article.created',
  'article.updated',
  'article.published',
  'article.deleted',
  'keyword.created',
  'keyword.ranked',
  'generation.started',
  'generation.completed',
  'generation.failed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

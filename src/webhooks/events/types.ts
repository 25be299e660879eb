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

/** Subscribes a webhook to every event type, also to those that are added later (contract 4.1). */
export const ALL_EVENTS = '*'

export type EventType = (typeof EVENT_TYPES)[number]

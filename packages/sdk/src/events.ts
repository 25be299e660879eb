import type { webhooks } from './generated.js'

/** The event types. */
export type EventType = keyof webhooks

/**
 * The body of a delivery. `event` discriminates the union: in `case 'article.published'` of a switch, `data`
 * has the type of that event. Add a `default`, because a newer server can send other types.
 */
export type WebhookEvent<T extends EventType = EventType> = {
  [E in T]: webhooks[E]['post']['requestBody']['content']['application/json']
}[T]

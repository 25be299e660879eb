import type { webhooks } from './generated.js'

/** The names of the events. */
export type EventType = keyof webhooks

/**
 * The body of a delivery. `event` tells the events apart: in `case 'article.published'` of a switch over
 * it, `data` is that event's. A newer server may send names that are not here: give the switch a `default`.
 */
export type WebhookEvent<T extends EventType = EventType> = {
  [E in T]: webhooks[E]['post']['requestBody']['content']['application/json']
}[T]

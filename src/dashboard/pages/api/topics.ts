import type { Topic } from '../../../notifications/topics'

/** The subject of a query: a topic of the live stream, or one that only the pages use. */
export type QueryTopic =
  | Topic
  | 'me'
  | 'sessions'
  | 'overview'
  | 'usage'
  | 'rate-limit-usage'
  | 'redelivery-preview'
  | 'system'

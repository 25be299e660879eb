import type { ChangedTopic, Topic } from '../../../notifications/topics'

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

/** What else changes with a topic: a user who signs in or out has other sessions. */
export const withPageTopics = (topic: ChangedTopic | 'me'): readonly string[] =>
  topic === 'people' ? [topic, 'sessions'] : [topic]

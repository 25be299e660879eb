/** What live updates are about: the collections that the API and the dashboard list. */
export const TOPICS = [
  'api-keys',
  'webhooks',
  'deliveries',
  'projects',
  'keywords',
  'rankings',
  'articles',
  'generations',
  'people',
  'audit',
] as const
export type Topic = (typeof TOPICS)[number]

/** What a listener is notified of: a topic, or `*` when any of them may have changed. */
export type ChangedTopic = Topic | '*'

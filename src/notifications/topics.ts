/** Topics of live updates: the collections that the API and the dashboard list. */
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
  'language-models',
  'requests',
  'audit',
] as const
export type Topic = (typeof TOPICS)[number]

/** The content of a notification: a topic, or `*` when any of them may have changed. */
export type ChangedTopic = Topic | '*'

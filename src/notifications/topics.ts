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

/** Of the account as a whole: pages of both modes list them. */
export const ACCOUNT_TOPICS: readonly Topic[] = ['api-keys', 'people', 'language-models', 'audit']

/** The content of a notification: a topic, or `*` when any of them may have changed. */
export type ChangedTopic = Topic | '*'

/**
 * Which kinds of records a change may have touched, for those who look on: the collections in its path, its
 * deliveries, because any change may make some, and the audit history.
 */
export const kindsOf = (method: string, path: string): string[] => [
  'deliveries',
  ...(AUDITED.test(path) ? ['audit'] : []),
  ...path.split('/').filter(segment => COLLECTIONS.has(segment)),
  ...(method === 'DELETE' && /\/(projects|keywords)\//.test(path) ? BELOW : []),
]

const COLLECTIONS = new Set([
  'api-keys',
  'webhooks',
  'projects',
  'keywords',
  'rankings',
  'articles',
  'generations',
  'people',
])

const AUDITED = /\/(api-keys|webhooks|people)(\/|$)/

/** What hangs on a project and on a keyword: with either it goes, or changes. */
const BELOW = ['keywords', 'rankings', 'articles', 'generations']

import { t } from 'elysia'
import type { IdPrefix } from '../../ids'
import { Id, Integer } from '../schema'

/** The prefix of the ids that follow the name of a collection in a path. */
const ID_PREFIXES: { [collection: string]: IdPrefix } = {
  'api-keys': 'key',
  webhooks: 'wh',
  deliveries: 'dlv',
  events: 'evt',
  projects: 'prj',
  keywords: 'kw',
  articles: 'art',
  generations: 'gen',
  'rank-runs': 'rrn',
  requests: 'req',
}

/** A number after the name of a collection: those of the versions of an article (contract 6.13). */
const Version = Integer({ minimum: 1, maximum: 999_999_999, examples: [1] })

/** The schema of a path parameter, for the document only: a malformed id is a 404. */
export const pathParameter = (path: string, name: string) => {
  const segments = path.split('/')
  const collection = segments[segments.indexOf(`{${name}}`) - 1] ?? ''
  if (collection === 'versions') return Version
  const prefix = ID_PREFIXES[collection]
  return prefix === undefined ? t.String() : Id(prefix)
}

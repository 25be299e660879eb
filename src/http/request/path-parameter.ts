import { t } from 'elysia'
import type { IdPrefix } from '../../ids'
import { Id } from '../schema'

/** What stands in a path after the name of a collection is the id of one of its records. */
const ID_PREFIXES: { [collection: string]: IdPrefix } = {
  'api-keys': 'key',
  webhooks: 'wh',
  deliveries: 'dlv',
  events: 'evt',
  projects: 'prj',
  keywords: 'kw',
  articles: 'art',
  generations: 'gen',
}

/** The schema of the parameter `name` of a path, for the document alone: a wrong id is a 404. */
export const pathParameter = (path: string, name: string) => {
  const segments = path.split('/')
  const prefix = ID_PREFIXES[segments[segments.indexOf(`{${name}}`) - 1] ?? '']
  return prefix === undefined ? t.String() : Id(prefix)
}

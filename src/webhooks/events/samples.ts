import type { EventData } from './schema'

/** Placeholder ids: those of the nil UUID (contract 4.11). */
const id = <P extends string>(prefix: P) => `${prefix}_00000000000000000000000000`

const project_id = id('prj')
const keyword = 'example keyword'
const article = { article_id: id('art'), project_id }
const articleDetails = { ...article, keyword_id: id('kw'), title: 'Example article' }
const generation = { generation_id: id('gen'), project_id }

/** The `data` of the sample of each event type (contract 4.11). */
export const SAMPLES: EventData = {
  'article.created': { ...articleDetails, status: 'DRAFT' },
  'article.updated': { ...articleDetails, status: 'DRAFT', changed: ['title'] },
  'article.published': { ...articleDetails, status: 'PUBLISHED' },
  'article.deleted': article,
  'keyword.created': { keyword_id: id('kw'), project_id, keyword },
  'keyword.ranked': {
    keyword_id: id('kw'),
    project_id,
    keyword,
    position: 3,
    previous_position: 5,
    url: 'https://example.com/example-article',
    checked_at: '2026-01-31T12:00:00.000Z',
  },
  'generation.started': { ...generation, keyword, status: 'RUNNING' },
  'generation.completed': {
    ...generation,
    article_id: id('art'),
    keyword,
    status: 'COMPLETED',
  },
  'generation.failed': {
    ...generation,
    keyword,
    status: 'FAILED',
    error: { code: 'provider_timeout', message: 'The provider did not respond in time.' },
  },
}

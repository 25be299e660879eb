import type { oneOfEach } from './one-of-each'

export type Endpoint = {
  method: 'post' | 'patch'
  path: string
  /** A body that it takes. */
  good: Record<string, unknown>
  required: string[]
  /** For each member a value of the wrong type, or of a wrong form. */
  wrong: Record<string, unknown>
  oversized: Record<string, unknown>
}

/** Each endpoint of the public API whose body has members, on these records. */
export const endpointsWithBody = ({
  project,
  article,
  keyword,
  generation,
  webhook,
  key,
}: Awaited<ReturnType<typeof oneOfEach>>): Endpoint[] => [
  {
    method: 'post',
    path: '/api-keys',
    good: { name: 'a', scopes: ['read'] },
    required: ['name', 'scopes'],
    wrong: { name: 1, scopes: ['admin'], rate_limit: 0, expires_at: 'tomorrow', mode: 'prod' },
    oversized: { name: 'x'.repeat(101) },
  },
  {
    method: 'patch',
    path: `/api-keys/${key}`,
    good: { rate_limit: 5 },
    required: [],
    wrong: { rate_limit: '5', name: null },
    oversized: { rate_limit: 100_001 },
  },
  {
    method: 'post',
    path: '/webhooks',
    good: { url: 'http://127.0.0.1:9/', events: ['article.created'] },
    required: ['url', 'events'],
    wrong: { url: 5, events: ['article.sold'], description: 5 },
    oversized: { url: `http://127.0.0.1/${'x'.repeat(2_048)}` },
  },
  {
    method: 'patch',
    path: `/webhooks/${webhook}`,
    good: { enabled: true },
    required: [],
    wrong: { enabled: 'yes', events: [], url: 'not a url' },
    oversized: { url: `http://127.0.0.1/${'x'.repeat(2_048)}` },
  },
  {
    method: 'post',
    path: `/webhooks/${webhook}/rotate-secret`,
    good: { overlap_seconds: 0 },
    required: [],
    wrong: { overlap_seconds: 1.5 },
    oversized: { overlap_seconds: 86_401 },
  },
  {
    method: 'post',
    path: '/projects',
    good: { name: 'p' },
    required: ['name'],
    wrong: { name: [], domain: 'https://x', language: 'English please' },
    oversized: { name: 'x'.repeat(101) },
  },
  {
    method: 'patch',
    path: `/projects/${project}`,
    good: { name: 'p' },
    required: [],
    wrong: { name: '', domain: 7, language: null },
    oversized: { name: 'x'.repeat(101) },
  },
  {
    method: 'post',
    path: '/articles',
    good: { project_id: project, title: 't' },
    required: ['project_id', 'title'],
    wrong: {
      project_id: 1,
      title: {},
      slug: 'a b',
      body: 1,
      meta_title: '',
      meta_description: 1,
      scheduled_at: 'tomorrow',
      status: 'draft',
      keyword_id: 1,
    },
    oversized: { title: 'x'.repeat(301), meta_description: 'x'.repeat(1_001) },
  },
  {
    method: 'post',
    path: '/articles/batch',
    good: { action: 'publish', ids: ['art_01kafz3v5tf4qrm8z3x9d2c7ne'] },
    required: ['action', 'ids'],
    wrong: { action: 'archive', ids: [] },
    oversized: { ids: Array(51).fill('art_01kafz3v5tf4qrm8z3x9d2c7ne') },
  },
  {
    method: 'patch',
    path: `/articles/${article}`,
    good: { title: 't' },
    required: [],
    wrong: {
      title: '',
      slug: '-',
      body: null,
      meta_title: ' ',
      meta_description: 1,
      scheduled_at: '2020-01-31T12:00:00Z',
      status: 'GONE',
      keyword_id: 'kw_1',
    },
    oversized: { title: 'x'.repeat(301) },
  },
  {
    method: 'post',
    path: `/projects/${project}/keywords`,
    good: { keyword: 'k' },
    required: ['keyword'],
    wrong: { keyword: 1, tracked: 'yes', country: 'us', device: 'watch' },
    oversized: { keyword: 'x'.repeat(201) },
  },
  {
    method: 'patch',
    path: `/keywords/${keyword}`,
    good: { keyword: 'k' },
    required: [],
    wrong: { keyword: '', tracked: null, country: 'USA', device: 7 },
    oversized: { keyword: 'x'.repeat(201) },
  },
  {
    method: 'post',
    path: `/keywords/${keyword}/rankings`,
    good: { position: null },
    required: ['position'],
    wrong: { position: 0, url: 'ftp://acme.com', checked_at: 'yesterday' },
    oversized: { url: `https://acme.com/${'x'.repeat(2_048)}` },
  },
  {
    method: 'post',
    path: '/generations',
    good: { keyword_id: keyword },
    required: ['keyword_id'],
    wrong: { keyword_id: 1, instructions: [] },
    oversized: { instructions: 'x'.repeat(4_001) },
  },
  {
    method: 'post',
    path: `/generations/${generation}/approve`,
    good: { outline: ['What to know'] },
    required: [],
    wrong: { outline: [] },
    oversized: { outline: Array.from({ length: 101 }, (_, n) => `Section ${n}`) },
  },
  {
    method: 'post',
    path: `/webhooks/${webhook}/test`,
    good: { event: 'article.created' },
    required: [],
    wrong: { event: 'article.sold' },
    oversized: { event: 'x'.repeat(201) },
  },
  {
    method: 'post',
    path: `/webhooks/${webhook}/redeliver`,
    good: { status: 'FAILED' },
    required: ['status'],
    wrong: { status: 'DELIVERED', created_after: 'yesterday' },
    oversized: { created_after: '2026-01-31T12:00:00.000Z'.repeat(100) },
  },
]

import type { FullRecords, Records } from './records'

/** Every page of the dashboard. A new address of pages/router.tsx needs a row: test/dashboard/every-page.slow.test.ts. */
type PageRow = {
  name: string
  /** The address in pages/router.tsx. */
  route: string
  /** Below /dashboard. */
  path: (records: Records) => string
  /** False where it shows nothing of the server, so no request of it can fail. */
  reads?: boolean
}

const list = (route: string, name = route.slice(1)): PageRow => ({
  name,
  route,
  path: ({ lists }) => `/${lists}${route}`,
})
const record = (
  route: string,
  name:
    | 'webhook'
    | 'delivery'
    | 'event'
    | 'project'
    | 'keyword'
    | 'article'
    | 'generation'
    | 'request',
): PageRow => ({
  name,
  route,
  path: records => `/live${route.replace('$id', records[name])}`,
})

export const PAGES: readonly PageRow[] = [
  list('/', 'overview'),
  list('/incidents'),
  list('/webhooks'),
  record('/webhooks/$id', 'webhook'),
  list('/deliveries'),
  record('/deliveries/$id', 'delivery'),
  list('/events'),
  record('/events/$id', 'event'),
  list('/projects'),
  record('/projects/$id', 'project'),
  record('/keywords/$id', 'keyword'),
  list('/articles'),
  record('/articles/$id', 'article'),
  { ...record('/articles/$id/history', 'article'), name: 'article-history' },
  list('/generations'),
  record('/generations/$id', 'generation'),
  list('/keys'),
  list('/requests'),
  record('/requests/$id', 'request'),
  list('/audit'),
  list('/settings'),
  {
    name: 'connect',
    route: '/connect',
    path: ({ lists }) => `/${lists}/connect?challenge=${'a'.repeat(43)}&client=ada%40laptop`,
    reads: false,
  },
]

/** Pages without a session. */
export const PUBLIC_PAGES: readonly { name: string; path: (records: FullRecords) => string }[] = [
  { name: 'sign-in', path: () => '/sign-in' },
  { name: 'forgot-password', path: () => '/forgot-password' },
  { name: 'link-invalid', path: () => '/sign-in/link#nothing' },
  { name: 'link-invitation', path: ({ invitation }) => `/sign-in/link#${invitation}` },
  { name: 'link-reset', path: ({ reset }) => `/sign-in/link#${reset}` },
]

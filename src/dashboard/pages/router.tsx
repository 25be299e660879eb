import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiError } from './api/client'
import { queryClient } from './api/queries'
import { keepDraftsOf, restoreCrashedDraft } from './drafts/draft'
import { lastMode, showMode, toMode } from './mode'
import { meOptions } from './session/me'
import { loadPage } from './shell/load-page'
import { NotFound, PageError } from './shell/not-found'
import { Shell } from './shell/shell'

/** Every page and its address. Pages are loaded when they are first opened. */

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$mode', params: { mode: lastMode() } })
  },
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => loadPage(() => import('./session/sign-in')), 'SignIn'),
})

const link = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/link',
  component: lazyRouteComponent(() => loadPage(() => import('./session/link')), 'SignInLink'),
})

const oidc = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/oidc',
  component: lazyRouteComponent(() => loadPage(() => import('./session/oidc')), 'OidcSignIn'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(
    () => loadPage(() => import('./session/forgot-password')),
    'ForgotPassword',
  ),
})

/** The signed-in user. Without a session, redirects to the sign-in page, which continues to `to`. */
const loadMe = (to?: string) =>
  queryClient.ensureQueryData(meOptions).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 401
      ? redirect({ to: '/sign-in', search: to === undefined ? {} : { to } })
      : error
  })

const signInNeeded = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/required',
  component: lazyRouteComponent(
    () => loadPage(() => import('./shell/sign-in-needed')),
    'SignInNeeded',
  ),
  beforeLoad: ({ search }) => loadMe((search as { to?: string }).to),
})

const shell = createRoute({
  getParentRoute: () => root,
  path: '/$mode',
  component: Shell,
  // Beside the navigation.
  notFoundComponent: NotFound,
  beforeLoad: async ({ params, location, preload }) => {
    if (params.mode !== 'live' && params.mode !== 'test')
      throw redirect({ to: '/$mode', params: { mode: lastMode() } })
    // Pages are loaded in advance when the pointer is on a link.
    if (!preload) showMode(toMode(params.mode))
    const { needed_sign_in, person } = await loadMe(location.href)
    keepDraftsOf(person.id)
    if (needed_sign_in !== null)
      throw redirect({ to: '/sign-in/required', search: { to: location.href } })
  },
})

// biome-ignore lint/suspicious/noExplicitAny: lazyRouteComponent's own type for a module
type Page = () => Promise<any>

/** A page within the shell; its module exports the component `Page`. */
const page = <P extends string>(path: P, load: Page) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component: lazyRouteComponent(() => loadPage(load), 'Page'),
  })

/** Keywords are listed on the page of their project. */
const keywords = createRoute({
  getParentRoute: () => shell,
  path: '/keywords',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$mode/projects', params })
  },
})

const article = createRoute({
  getParentRoute: () => shell,
  path: '/articles/$id',
  component: lazyRouteComponent(() => loadPage(() => import('./articles/article')), 'Page'),
  beforeLoad: async ({ params, preload, cause }) => {
    // Not for a change of the view of the article that is shown: its editor has read its draft.
    if (preload || (cause === 'stay' && params.id === shownArticle)) return
    shownArticle = params.id
    await restoreCrashedDraft(params.id)
  },
})
let shownArticle: string | undefined

const pages = [
  keywords,
  article,
  page('/', () => import('./overview/page')),
  page('/incidents', () => import('./incidents/page')),
  page('/webhooks', () => import('./webhooks/page')),
  page('/webhooks/$id', () => import('./webhooks/webhook')),
  page('/deliveries', () => import('./deliveries/page')),
  page('/deliveries/$id', () => import('./deliveries/delivery')),
  page('/events', () => import('./events/page')),
  page('/events/$id', () => import('./events/event')),
  page('/projects', () => import('./projects/page')),
  page('/projects/$id', () => import('./projects/project')),
  page('/keywords/$id', () => import('./keywords/keyword')),
  page('/articles', () => import('./articles/page')),
  page('/articles/$id/history', () => import('./articles/history/page')),
  page('/generations', () => import('./generations/page')),
  page('/generations/$id', () => import('./generations/generation')),
  page('/keys', () => import('./keys/page')),
  page('/connect', () => import('./connect/page')),
  page('/requests', () => import('./requests/page')),
  page('/requests/$id', () => import('./requests/request')),
  page('/audit', () => import('./audit/page')),
  page('/settings', () => import('./settings/page')),
]

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    link,
    oidc,
    forgotPassword,
    signInNeeded,
    shell.addChildren(pages),
  ]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  scrollRestoration: true,
  // Filters are plain texts, without JSON quotes.
  parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: search => {
    const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
    return text && `?${text}`
  },
})

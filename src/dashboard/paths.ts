/** The base path of the dashboard. */
export const DASHBOARD = '/dashboard'
export const DASHBOARD_API = `${DASHBOARD}/api`
/** The routes of the public API, mounted again behind sessions instead of keys. */
export const RECORDS = `${DASHBOARD_API}/v1`
/** Signing in: the routes that need no session. */
export const OPEN = `${DASHBOARD_API}/open`
/** The user's own account and sessions. */
export const ME = `${DASHBOARD_API}/me`
/** Where an OpenID Connect provider sends a browser back. */
export const OIDC_PAGE = `${DASHBOARD}/sign-in/oidc`
/** The emails of `dev`. */
export const MAIL_PAGE = `${DASHBOARD}/mail`
/** Bundled scripts, styles and fonts. */
export const ASSETS = `${DASHBOARD}/assets`

/** Whether a path is `base` or below it. */
export const isUnder = (base: string, path: string): boolean =>
  path === base || path.startsWith(`${base}/`)

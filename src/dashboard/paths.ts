/** Where the dashboard is. */
export const DASHBOARD = '/dashboard'
export const DASHBOARD_API = `${DASHBOARD}/api`
/** The routes of the public API again, for people instead of keys. */
export const RECORDS = `${DASHBOARD_API}/v1`
/** What needs no session: the ways in. */
export const OPEN = `${DASHBOARD_API}/open`
/** What is one's own, whatever one's role. */
export const ME = `${DASHBOARD_API}/me`
/** Compiled scripts, styles and fonts. */
export const ASSETS = `${DASHBOARD}/assets`

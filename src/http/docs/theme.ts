import { Elysia } from 'elysia'
import { THEME_KEY } from '../theme-key'

/** Swagger UI has its dark colours by the class, the guides theirs by the attribute. */
const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)')
const show = () => {
  const chosen = localStorage.getItem(${JSON.stringify(THEME_KEY)})
  const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  document.documentElement.classList.toggle('dark-mode', isDark)
}
show()
dark.addEventListener('change', show)
addEventListener('storage', show)
`

/** Sets the theme of a page below /docs before the first paint: that of the dashboard, or of the system. */
export const docsTheme = new Elysia({ name: 'docs-theme' }).get(
  '/docs/theme.js',
  () => new Response(SCRIPT, { headers: { 'content-type': 'text/javascript; charset=utf-8' } }),
)

import { Elysia } from 'elysia'
import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { DOCS_PATH, DOCUMENT_PATH } from '../openapi/document'
import docsStyle from './docs.css' with { type: 'file' }
import { renderPage } from './layout'
import referenceStyle from './reference.css' with { type: 'file' }

/**
 * Swagger UI puts a link into the button of each operation, which screen readers and the keyboard cannot reach there; it
 * becomes text. The address of an operation still opens it, and is shown when it is opened.
 *
 * It shows a response when that has ended, which a stream of events does not.
 *
 * Links to the groups of operations are added when those are there. Without `persistAuthorization`: it keeps API keys in
 * the browser's localStorage.
 */
const START = `const addLinks = () => {
  const here = document.querySelector('nav [aria-current]')
  for (const group of [...document.querySelectorAll('.opblock-tag')].reverse()) {
    const link = document.createElement('a')
    link.href = '#' + group.id
    link.className = 'group'
    link.textContent = group.dataset.tag
    here.after(link)
  }
}
const addNames = () => {
  for (const [selector, name] of [
    ['select.examples-select-element', 'Example'],
    ['textarea.body-param__text', 'Request body'],
    ['button.close-modal', 'Close'],
  ])
    for (const one of document.querySelectorAll(selector + ':not([aria-label])')) one.setAttribute('aria-label', name)
  for (const one of document.querySelectorAll('pre.microlight:not([tabindex])')) one.tabIndex = 0
  for (const one of document.querySelectorAll('.auth-btn-wrapper [aria-label]')) one.removeAttribute('aria-label')
}
new MutationObserver(addNames).observe(document.getElementById('docs'), { childList: true, subtree: true })
const noNestedLinks = ({ React }) => ({
  wrapComponents: { DeepLink: () => ({ text }) => React.createElement('span', null, text) },
})
const noStreams = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: allows => (state, path, method) => !path.endsWith('/events/stream') && allows(state, path, method),
      },
    },
  },
})
SwaggerUIBundle({
  url: ${JSON.stringify(DOCUMENT_PATH)},
  dom_id: '#docs',
  deepLinking: true,
  syntaxHighlight: { theme: 'tomorrow-night' },
  plugins: [noNestedLinks, noStreams],
  onComplete: addLinks,
})
`

const PAGE = renderPage({
  title: 'API reference',
  path: DOCS_PATH,
  head: `<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
`,
  main: `<div id="docs"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>`,
})

/**
 * Loads nothing from other hosts. Swagger UI needs style attributes, and data URLs for its icons.
 */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const DAY_S = 86_400

/**
 * The API reference at /docs. The plugin's own page loads its script from a CDN; this one serves it from the
 * binary.
 */
export const referenceRoutes = new Elysia({ name: 'api-reference' })
  .get(DOCS_PATH, () => text(PAGE, 'text/html; charset=utf-8'))
  .get('/docs/start.js', () => text(START, 'text/javascript; charset=utf-8'))
  .get('/docs/swagger-ui.js', () => file(swaggerScript, 'text/javascript; charset=utf-8'))
  .get('/docs/swagger-ui.css', () => file(swaggerStyle, 'text/css; charset=utf-8'))
  // Not cached for long: their content changes with the version, and their names do not.
  .get('/docs/docs.css', () => file(docsStyle, 'text/css; charset=utf-8', 0))
  .get('/docs/reference.css', () => file(referenceStyle, 'text/css; charset=utf-8', 0))

const text = (body: string, type: string) =>
  new Response(body, { headers: { 'content-type': type, 'content-security-policy': POLICY } })

const file = (path: string, type: string, maxAgeS = DAY_S) =>
  new Response(Bun.file(path), {
    headers: { 'content-type': type, 'cache-control': `public, max-age=${maxAgeS}` },
  })

import { Elysia } from 'elysia'
import swaggerStyle from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { DOCS_PATH, DOCUMENT_PATH } from '../openapi/document'
import docsStyle from './docs.css' with { type: 'file' }
import { renderPage } from './layout'
import referenceStyle from './reference.css' with { type: 'file' }

/**
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
SwaggerUIBundle({ url: ${JSON.stringify(DOCUMENT_PATH)}, dom_id: '#docs', deepLinking: true, onComplete: addLinks })
`

const PAGE = renderPage({
  title: 'API reference',
  path: DOCS_PATH,
  head: `<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
`,
  main: `<main id="docs"></main>
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

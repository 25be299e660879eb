import { Elysia } from 'elysia'
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { DOCS_PATH, DOCUMENT_PATH } from './document'

// Without `persistAuthorization`: it keeps API keys in the browser's localStorage.
const START = `SwaggerUIBundle({ url: ${JSON.stringify(DOCUMENT_PATH)}, dom_id: '#docs', deepLinking: true })`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Arden API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/**
 * Loads nothing from other hosts. Swagger UI needs style attributes, and data URLs for its icons.
 */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

const DAY_S = 86_400

/**
 * The OpenAPI page at /docs. The plugin's own page loads its script from a CDN; this one serves it from the
 * binary.
 */
export const docsPage = new Elysia({ name: 'docs-page' })
  .get(DOCS_PATH, () => text(PAGE, 'text/html; charset=utf-8'))
  .get('/docs/start.js', () => text(START, 'text/javascript; charset=utf-8'))
  .get('/docs/swagger-ui.js', () => file(script, 'text/javascript; charset=utf-8'))
  .get('/docs/swagger-ui.css', () => file(style, 'text/css; charset=utf-8'))

const text = (body: string, type: string) =>
  new Response(body, { headers: { 'content-type': type, 'content-security-policy': POLICY } })

const file = (path: string, type: string) =>
  new Response(Bun.file(path), {
    headers: { 'content-type': type, 'cache-control': `public, max-age=${DAY_S}` },
  })

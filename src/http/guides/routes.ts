import { Elysia } from 'elysia'
import { DomainError } from '../../errors'
import { DOCS_PATH } from '../openapi/document'
import { GUIDES } from './guides'
import style from './guides.css' with { type: 'file' }
import { guidePath, renderGuide, titleOf } from './render'

/** Nothing from other hosts, and nothing inline. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; frame-ancestors 'none'"

/** The guides of this version as pages, so that the documentation is where Arden is. */
export const guideRoutes = new Elysia({ name: 'guides' })
  .get('/docs/guides/:name', ({ params }) => {
    const markdown = GUIDES.get(params.name)
    if (markdown === undefined)
      throw new DomainError(
        'NOT_FOUND',
        `There is no guide ${params.name}. The guides are ${[...GUIDES.keys()].join(', ')}.`,
      )
    return new Response(page(params.name, markdown), {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
    })
  })
  .get('/docs/guides.css', () => new Response(Bun.file(style)))

const page = (name: string, markdown: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(markdown)} · Arden</title>
<script src="/docs/theme.js"></script>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guides.css">
</head>
<body>
<nav aria-label="Documentation">
<a href="/dashboard">Dashboard</a>
<a href="${DOCS_PATH}">API reference</a>
${[...GUIDES].map(([other, text]) => link(other, text, name)).join('\n')}
</nav>
<main>
${renderGuide(markdown)}
</main>
</body>
</html>
`

const link = (name: string, markdown: string, current: string) =>
  `<a href="${guidePath(name)}"${name === current ? ' aria-current="page"' : ''}>${titleOf(markdown)}</a>`

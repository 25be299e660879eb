import { DOCS_PATH } from '../openapi/document'
import { GUIDES } from './guides'

/** The path of a guide. */
export const guidePath = (name: string): string => `/docs/guides/${name}`

export const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

type Page = {
  title: string
  /** Its own path, which the navigation marks. */
  path: string
  /** HTML at the end of the head. */
  head?: string
  /** HTML of the content. */
  main: string
}

/** The HTML of a page of the documentation, with links to all of them. */
export const renderPage = ({ title, path, head = '', main }: Page): string => {
  const links = [
    [DOCS_PATH, 'API reference'],
    ...[...GUIDES].map(([name, markdown]) => [guidePath(name), titleOf(markdown)]),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Arden</title>
<script src="/docs/theme.js"></script>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
${head}</head>
<body>
<nav aria-label="Documentation">
<a href="/dashboard">Dashboard</a>
${links.map(([to, text]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${text}</a>`).join('\n')}
</nav>
${main}
</body>
</html>
`
}

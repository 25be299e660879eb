import { likelyLocale } from '../../locale'
import { renderBody } from './render'
import type { ExportedArticle } from './store'

/** Nothing of the document runs or is loaded except its pictures, whatever a renderer may have missed. */
const POLICY = "default-src 'none'; img-src http: https:"

/** The article as a complete HTML document. Its body is rendered by `renderBody` (contract 6.17). */
export const toHtml = ({
  title,
  language,
  body,
  meta_title,
  meta_description,
}: ExportedArticle): string => {
  const content = renderBody(body)
  const heading = beginsWith(content, title) ? '' : `<h1>${escapeHtml(title)}</h1>\n`
  return `<!doctype html>
<html lang="${escapeHtml(language)}"${isRightToLeft(language) ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(meta_title ?? title)}</title>
${meta_description === null ? '' : `<meta name="description" content="${escapeHtml(meta_description)}">\n`}</head>
<body>
<article>
${heading}${content}</article>
</body>
</html>
`
}

/** Scripts of ISO 15924 that languages of today are written in. */
const RIGHT_TO_LEFT = [
  'Adlm',
  'Arab',
  'Aran',
  'Hebr',
  'Mand',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]

const isRightToLeft = (language: string): boolean =>
  RIGHT_TO_LEFT.includes(likelyLocale(language).script ?? '')

/** Whether the first heading of the content is the title, whatever its emphasis. */
const beginsWith = (content: string, title: string): boolean => {
  const [, heading] = /^<h1>(.*)<\/h1>/.exec(content) ?? []
  const text = heading?.replace(/<[^<>]*>/g, '')
  return text?.trim().toLowerCase() === escapeHtml(title).trim().toLowerCase()
}

const { escapeHTML: escapeHtml } = Bun

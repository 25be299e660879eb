import {
  addressIn,
  EMAIL_ADDRESS,
  END_MARKS,
  WITH_SCHEME,
  WITHOUT_SCHEME,
} from '../articles/bare-address'
import { LINK_SCHEMES } from '../articles/link-schemes'

/** Characters. Rendering them takes at most 0.1 s; the time of some texts grows with the square of their length. */
const RENDERED_MAX = 256 * 1024
/** Quotes and lists in one another. Browsers fail to lay out thousands. */
const DEPTH_MAX = 30
/** Cells of all tables: 1 KB of lines below a header of many columns would otherwise be megabytes of empty cells. */
const CELLS_MAX = 20_000

/**
 * Renders Markdown as HTML without anything that runs: tags are shown as text, links lead to web and mail addresses or
 * are relative, pictures are loaded from the web (contract 6.17). A text that is too long or too deeply nested to be
 * rendered is shown as it is.
 */
export const renderBody = (markdown: string): string => {
  if (markdown.length > RENDERED_MAX || isTooDeep(markdown))
    return `<pre>${Bun.escapeHTML(markdown)}</pre>\n`
  const isLinker = !hasEmphasizedAddress(markdown)
  const html = Bun.markdown.html(markdown, {
    noHtmlBlocks: true,
    noHtmlSpans: true,
    autolinks: { url: isLinker, www: isLinker, email: false },
    tables: !hasTooManyCells(markdown),
  })
  return sanitize(linksIn(markdown), emailsIn(markdown), html)
}

/**
 * The renderer takes the marks after `**https://acme.com**` into the address, and never ends the bold text. In such a text
 * it makes no links of addresses without brackets; those that contain marks are then cut where emphasis begins.
 */
const hasEmphasizedAddress = (markdown: string): boolean =>
  [...markdown.matchAll(/(?:https?:\/\/|www\.)[^\s<>]+/gi)].some(([address]) =>
    /[*_~][^\p{L}\p{N}]{0,2}$/u.test(address.slice(-3)),
  )

const LINE_BREAK = /\r\n?|\n/

const isTooDeep = (markdown: string): boolean =>
  markdown.split(LINE_BREAK).some(line => {
    MARKER.lastIndex = 0
    let depth = 0
    while (depth < DEPTH_MAX && MARKER.test(line)) depth++
    return depth === DEPTH_MAX
  })

/** Of a quote or an item of a list, where the last one ended. */
const MARKER = /[ \t]*(?:>|[-+*]|\d{1,9}[.)])/y

/** Each row gets as many cells as the header has. */
const hasTooManyCells = (markdown: string): boolean => {
  let columns = 0
  let rows = 0
  for (const line of markdown.split(LINE_BREAK)) {
    if (!line.includes('|')) continue
    rows++
    if (DELIMITERS.test(line)) columns = Math.max(columns, line.split('|').length)
  }
  return columns * rows > CELLS_MAX
}

/** The line below the header of a table. */
const DELIMITERS = /^[\s>|:-]*$/

/** What Markdown without HTML becomes; anything else is removed, whatever the renderer does. */
const ATTRIBUTES: { readonly [tag: string]: readonly string[] } = {
  ...Object.fromEntries(
    'h1 h2 h3 h4 h5 h6 p br hr blockquote ul li pre em strong del table thead tbody tr'
      .split(' ')
      .map(tag => [tag, []]),
  ),
  a: ['href', 'title'],
  img: ['src', 'alt', 'title'],
  ol: ['start'],
  th: ['align'],
  td: ['align'],
  input: ['type', 'disabled', 'checked'],
  // The language of a block, for highlighters: `language-js`.
  code: ['class'],
}

const sanitize = (
  links: ReadonlySet<string>,
  emails: ReadonlySet<string>,
  html: string,
): string => {
  let verbatim = 0
  return new HTMLRewriter()
    .on('a, code', {
      element(element) {
        verbatim++
        element.onEndTag(() => void verbatim--)
      },
    })
    .on('input', {
      element(box) {
        // The renderer leaves no space between the box of a task and its text.
        box.after(' ')
      },
    })
    .on('*', {
      text(chunk) {
        if (verbatim > 0) return
        const text = chunk.text
          .replace(IN_BRACKETS, (text, link) => (links.has(decoded(link)) ? linked(link) : text))
          .replace(WITH_SCHEME, linkBare)
          .replace(WITHOUT_SCHEME, linkBare)
          .replace(EMAIL_ADDRESS, (text, before, address) =>
            emails.has(address) ? `${before}${linked(address)}` : text,
          )
        if (text !== chunk.text) chunk.replace(text, { html: true })
      },
      element(element) {
        const permitted = ATTRIBUTES[element.tagName]
        if (permitted === undefined) return void element.remove()
        for (const [name] of [...element.attributes])
          if (!permitted.includes(name)) element.removeAttribute(name)
        if (!isSafe(element.getAttribute('href'), LINK_SCHEMES)) element.removeAttribute('href')
        if (!isSafe(element.getAttribute('src'), PICTURE_SCHEMES)) element.removeAttribute('src')
      },
    })
    .transform(html)
}

/**
 * `<https://acme.com>` and `<ada@acme.com>`, which Markdown makes links of. The renderer does not where it shows tags as
 * text, and writes them like brackets that are escaped.
 */
const BRACKETS = /(\\?)<([^\s<>]+)>/g
const BEGINS_AS_URL = /^(?:https?:\/\/|mailto:)/i
const EMAIL = /^[^:@]+@[^:@]+$/

const linksIn = (markdown: string): ReadonlySet<string> =>
  new Set(
    [...markdown.matchAll(BRACKETS)].flatMap(([, backslash, text = '']) =>
      backslash === '' && (BEGINS_AS_URL.test(text) || EMAIL.test(text)) ? [text] : [],
    ),
  )

/** As the renderer writes them, without quotes and tags. */
const IN_BRACKETS = /&lt;((?:[^\s<>"&]|&(?:amp|quot|#39);)+)&gt;/g

const linked = (link: string): string =>
  `<a href="${BEGINS_AS_URL.test(link) ? link : `mailto:${link}`}">${link}</a>`

const linkBare = (all: string, before: string, text: string | undefined): string => {
  if (text === undefined) return all
  const link = addressIn(text, MARKS)
  const href = /^www\./i.test(link) ? `http://${link}` : link
  return `${before}<a href="${href}">${link}</a>${text.slice(link.length)}`
}

/** Not those that are hidden as `info&#64;acme.com`, or a part of a tag. In `_info@acme.com_` it begins with no mark. */
const emailsIn = (markdown: string): ReadonlySet<string> => {
  const text = markdown
    .replace(/\\[\\<>]/g, ' ')
    .replace(TAG, ' ')
    .replace(/\\([_.+-])/g, '$1')
  return new Set(
    [...text.matchAll(EMAIL_ADDRESS)].flatMap(([, , address = '']) => [
      address,
      address.replace(/^_+/, ''),
    ]),
  )
}
const TAG =
  /<\/?[a-z][a-z0-9-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'=<>`]+))?)*\s*\/?>/gi

const MARKS = ['&amp;', '&#39;', ...END_MARKS]

const PICTURE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:'])

/** Read as a browser reads it, which ignores spaces and line breaks in a scheme. Without one it is relative. */
const isSafe = (attribute: string | null, schemes: ReadonlySet<string>): boolean => {
  if (attribute === null) return true
  if (UNKNOWN_REFERENCE.test(attribute)) return false
  const parsed = URL.parse(decoded(attribute), 'https://relative.invalid/')
  return parsed !== null && schemes.has(parsed.protocol)
}

const decoded = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot|#39|#x27);/g, reference => REFERENCES[reference] ?? '')

/** The renderer writes no other references, so no other can hide a scheme. */
const REFERENCES: { readonly [reference: string]: string } = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
}
const UNKNOWN_REFERENCE = /&(?!(?:amp|lt|gt|quot|#39|#x27);)/

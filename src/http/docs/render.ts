import { Marked, Renderer, type Tokens } from 'marked'
import { GUIDES } from './guides'
import { guidePath } from './layout'

/** The URL of a server on the reader's machine, in commands and links of the guides. */
const LOCAL_URL = 'http://localhost:3000'
/** URLs of a server, in commands of the guides. */
const EXAMPLE_URLS = /http:\/\/localhost:3000|https:\/\/arden\.example\.com/g

/**
 * The HTML of a guide of this repository: its text is trusted. Headings have the ids that links of the guides name;
 * links to other files of the repository, which the server does not have, become text, and pictures are left out. Commands, and links to the
 * server, have the origin of `server` where it is given.
 */
export const renderGuide = (markdown: string, server: string | undefined): string => {
  const withServer = (text: string) =>
    server === undefined ? text : text.replaceAll(EXAMPLE_URLS, () => server)
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        if (server !== undefined && href.startsWith(LOCAL_URL)) {
          const path = href.slice(LOCAL_URL.length)
          return `<a href="${escapeHtml(path)}">${escapeHtml(server + path)}</a>`
        }
        const text = this.parser.parseInline(tokens)
        const target = toTarget(href)
        return target === undefined ? text : `<a href="${target}">${text}</a>`
      },
      // The server has no pictures.
      image: () => '',
      // Wide ones scroll by themselves, also by the keyboard.
      table(token) {
        return `<div class="wide" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>`
      },
      codespan({ text }) {
        return `<code>${escapeHtml(withServer(text))}</code>`
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeHtml(withServer(text))}</code></pre>\n`
      },
    },
  })
  return marked.parse(markdown, { async: false })
}

const toTarget = (href: string): string | undefined => {
  if (/^(https:|#)/.test(href)) return escapeHtml(href)
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return GUIDES.has(name) ? guidePath(name) + escapeHtml(anchor) : undefined
}

/** As GitHub does, where the same links are read. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const { escapeHTML: escapeHtml } = Bun

import { tables } from '@joplin/turndown-plugin-gfm'
import Turndown from 'turndown'
import { safeUrl } from './safe-text'

/** What makes paragraphs of its own. */
const BLOCKS = 'h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, p + p'
/** What plain text loses. Code editors have none of it on the clipboard, so their text is pasted as it is. */
const FORMATTED = `${BLOCKS}, a[href], b, strong, i, em`

/** Pastes formatted text of a word processor or a page as Markdown. Ctrl+Shift+V pastes its plain text. */
export const pasteMarkdown = (event: {
  clipboardData: DataTransfer
  currentTarget: HTMLTextAreaElement
  preventDefault: () => void
}) => {
  const { body } = new DOMParser().parseFromString(
    event.clipboardData.getData('text/html'),
    'text/html',
  )
  simplify(body)
  if (body.querySelector(FORMATTED) === null) return
  const markdown = converter.turndown(body)
  if (markdown === '') return
  event.preventDefault()
  const { value, selectionStart, selectionEnd } = event.currentTarget
  const isBlock = body.querySelector(BLOCKS) !== null
  const before = isBlock && /[^\n]$/.test(value.slice(0, selectionStart)) ? '\n\n' : ''
  const after = isBlock && /^[^\n]/.test(value.slice(selectionEnd)) ? '\n\n' : ''
  // Deprecated, and the only way that lets the user undo it.
  document.execCommand('insertText', false, `${before}${markdown}${after}`)
}

/**
 * Takes out what has no meaning, and makes elements of what Google Docs has as styles. The document runs nothing, and
 * the console says for each of its styles that the content security policy blocks it.
 */
const simplify = (body: HTMLElement) => {
  for (const one of body.querySelectorAll(
    'script, style, template, img:not([src^="https:"], [src^="http:"])',
  ))
    one.remove()
  for (const link of body.querySelectorAll('a[href]'))
    if (safeUrl(link.getAttribute('href') ?? '') === undefined) link.replaceWith(...link.childNodes)
  const docs = body.querySelector('b[id^="docs-internal-guid"]')
  for (const span of docs?.querySelectorAll(':not(h1, h2, h3, h4, h5, h6) > span[style]') ?? []) {
    // `span.style` is empty, because it is blocked.
    const style = span.getAttribute('style') ?? ''
    if (/font-weight: ?[6-9]00/.test(style)) wrap(span, 'strong')
    if (/font-style: ?italic/.test(style)) wrap(span, 'em')
  }
  // It holds the whole text, and is not bold.
  docs?.replaceWith(...docs.childNodes)
  for (const cell of body.querySelectorAll('table:not(:has(th)) tr:first-child td'))
    cell.replaceWith(withContent('th', cell))
  for (const paragraph of body.querySelectorAll('li > p:only-child'))
    paragraph.replaceWith(...paragraph.childNodes)
}

const wrap = (element: Element, name: 'strong' | 'em') => element.append(withContent(name, element))

const withContent = (name: string, of: Element): Element => {
  const element = document.createElement(name)
  element.append(...of.childNodes)
  return element
}

/** Of an item of a list, which Word writes as a paragraph that begins with the mark. */
const WORD_LEVEL = /mso-list: ?l\d+ level(\d)/

const converter = new Turndown({
  headingStyle: 'atx',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '*',
})
  .use(tables)
  .addRule('word-list', {
    filter: node => WORD_LEVEL.test(node.getAttribute('style') ?? ''),
    replacement: (content, node) => {
      const [, level = 1] = WORD_LEVEL.exec((node as Element).getAttribute('style') ?? '') ?? []
      const [, mark = '', text = ''] = /^(\S*)\s*(.*)$/s.exec(content.trim()) ?? []
      return `${' '.repeat(4 * (Number(level) - 1))}${/\w\\?[.)]/.test(mark) ? '1.' : '-'} ${text}\n`
    },
  })

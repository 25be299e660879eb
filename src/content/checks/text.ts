import { foldLetters } from '../../letters'
import { addressIn, WIDE_MARKS } from '../articles/bare-address'

/** What checks read of a Markdown text. */
export type ArticleText = {
  headings: string[]
  /** Paragraphs, list items and rows of tables, without code. */
  paragraphs: string[]
  /**
   * The first paragraph of prose, or else the first: above a text there can be a motto, a notice, a picture, a table or a
   * list.
   */
  opening: string
  /** All words, those of headings included. */
  words: string[]
}

/** Characters of a text that are checked: 30,000 words. */
export const CHECKED_MAX = 200_000

/**
 * Reads the body of an article line by line. Its time is linear in the length: a parser of Markdown takes seconds for
 * texts that are made to be slow, and this runs in `serve`.
 */
export const readMarkdown = (body: string): ArticleText => {
  const headings: string[] = []
  const paragraphs: Paragraph[] = []
  /** The one that the next line continues. */
  let open: Paragraph | undefined
  let isCode = false
  let isTable = false
  let line = ''
  for (const raw of body.slice(0, CHECKED_MAX).split('\n')) {
    const above = line
    line = raw.trim()
    if (/^(```|~~~)/.test(line)) {
      isCode = !isCode
      isTable = false
      open = undefined
      continue
    }
    if (isCode) continue
    if ((open?.isPlain || above.startsWith('|')) && isBelowHeader(line, above)) {
      // The line above is no prose.
      if (open?.lines === 1) open.isProse = false
      open = undefined
      isTable = true
      continue
    }
    if (ENDS_TABLE.test(line)) isTable = false
    if (open === undefined && !isTable && DEFINITION.test(line)) continue
    if (open?.isPlain && UNDERLINE.test(raw)) {
      headings.push(open.text)
      paragraphs.pop()
      open = undefined
      continue
    }
    const [, heading] = /^#{1,6}[ \t](.*)$/.exec(line) ?? []
    const text = plain(heading ?? withoutMarkers(line))
    if (heading !== undefined) headings.push(text)
    if (heading !== undefined || text === '') {
      open = undefined
      continue
    }
    const isMarked = MARKER.test(line)
    if (open === undefined || isMarked) {
      open = {
        text,
        lines: 1,
        isPlain: !isTable && !isMarked && !BLOCK.test(line) && !FOOTNOTE.test(line),
        isProse: false,
      }
      paragraphs.push(open)
    } else {
      open.text += ` ${text}`
      open.lines++
    }
    open.isProse ||= open.isPlain && isProse(line)
  }
  const texts = paragraphs.map(({ text }) => text)
  return {
    headings,
    paragraphs: texts,
    opening: (paragraphs.find(one => one.isProse) ?? paragraphs[0])?.text ?? '',
    words: [...headings, ...texts].flatMap(wordsOf),
  }
}

type Paragraph = {
  text: string
  lines: number
  /** Neither an item of a list nor a quote nor a row nor HTML. */
  isPlain: boolean
  /** It has a line of prose. */
  isProse: boolean
}

/** The mark of a list item. */
const ITEM = '(?:[-*+]|\\d{1,9}[.)])(?:\\s|$)'
/** The beginning of a list item, a quote or a row of a table. */
const MARKER = new RegExp(`^(?:[>|]|${ITEM})`)

/** Whether the line `above` is the header of a table, with as many cells as `line` has delimiters. */
const isBelowHeader = (line: string, above: string): boolean =>
  line.includes('-') && DELIMITERS.test(line) && cellsOf(line) === cellsOf(above)
const DELIMITERS = /^[\s:-]*\|[\s|:-]*$/
const cellsOf = (row: string): number =>
  row
    .replaceAll('\\|', '')
    .replace(/^\||\|$/g, '')
    .split('|').length

/** A table ends above an empty line, a heading, a rule, a quote or a list. */
const ENDS_TABLE = new RegExp(`^(?:$|#{1,6}[ \\t]|(?:[*_-][ \\t]{0,9}){3,}$|>|${ITEM})`)

/** The beginning of HTML that is no part of a sentence. */
const BLOCK =
  /^<\/?(?:address|article|aside|blockquote|center|details|dialog|div|dl|figure|footer|form|h\d|header|iframe|main|nav|ol|p|picture|pre|script|section|style|svg|table|ul|video)[\s/>]/i

/** Of a link, in one line. */
const TITLE =
  '(?:"(?:\\\\.|[^"\\\\\\n]){0,999}"|\'(?:\\\\.|[^\'\\\\\\n]){0,999}\'|\\((?:\\\\.|[^()\\\\\\n]){0,999}\\))'
/** The address of a reference, after which nothing but a title follows. It is not shown. */
const DEFINITION = new RegExp(
  `^\\[\\s{0,9}[^[\\]\\s][^[\\]]{0,998}\\]:\\s{0,9}(?:<[^<>]{0,2048}>|[^\\s<>]{1,2048})(?:\\s{1,9}${TITLE})?$`,
)
const FOOTNOTE = /^\[\^[^[\]]{1,998}\]:/

/** Whether there is more than pictures, links, tags and marks. */
const isProse = (line: string): boolean =>
  unlinked(unlinked(line, ''), '').replace(
    /!?\[[^[\]]*\]\[[^[\]]*\]|<[^<>]*>|https?:\/\/\S*|[*_~\s]+/gi,
    '',
  ) !== ''

/** Below a paragraph it makes that a heading. */
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/

const withoutMarkers = (line: string): string => {
  let text = line
  for (let depth = 0; depth < 10 && MARKER.test(text); depth++)
    text = text.replace(MARKER, '').trim()
  return text.replace(/^\[[ xX]\] /, '').replaceAll('|', ' ')
}

/** The URL ends at the first space, so that where no bracket follows, no shorter one is tried. */
const LINK = /!?\[([^[\]]{0,1000})\]\((?:[^()\s]|\([^()\s]{0,2048}\)){0,2048}(?:\s[^()]{0,300})?\)/g

const unlinked = (markdown: string, shown: string): string => markdown.replace(LINK, shown)

/** Without marks, and links as their text, those around a picture included. */
const plain = (markdown: string): string =>
  unlinked(unlinked(markdown, '$1'), '$1')
    .replace(/[*_`~]+|^[\s:-]+$/g, '')
    .trim()

/** The http and https URLs of a Markdown text, each once. One that begins with `www.` is http, as in the preview and in exports. */
export const linksOf = (body: string): string[] => {
  const found = [...body.slice(0, CHECKED_MAX).matchAll(URLS)].map(
    ([url, inBrackets, destination, defined, alone]) => {
      const ofLink = inBrackets ?? destination ?? defined
      return ofLink === undefined
        ? (alone ?? addressIn(url).replace(/^www/i, 'http://$&'))
        : ofLink.replace(ESCAPED, '$1').replaceAll('&amp;', '&')
    },
  )
  return [...new Set(found.filter(url => URL.canParse(url)))]
}

/** In the destination of a link a backslash escapes what follows. */
const ESCAPE = '\\\\[!-/:-@[-`{-~]'
const CHARACTER = `(?:${ESCAPE}|[^\\s()<>\\\\])`
/** With balanced or escaped parentheses. */
const DESTINATION = `https?:\\/\\/(?:${CHARACTER}|\\(${CHARACTER}{0,2048}\\)){1,2048}`
/** It may begin with `www.` where a word begins, and have apostrophes within words. */
const BARE = `(?:https?:\\/\\/|(?<![^\\s*_~(]|\\]\\()www\\.(?=[a-z\\d\\u0080-\\uFFFF])(?![^[\\]\\n]{0,300}\\]\\())(?:[^\\s<>"'\`[\\]|\\\\${WIDE_MARKS}]|'(?=[a-z\\d%_\\u0080-\\uFFFF])){1,2048}`
/**
 * The destination of a link, in angle brackets or without; of a definition such as `[1]: …`, after which nothing but a
 * title follows; a URL in angle brackets, or in the text.
 */
const URLS = new RegExp(
  `\\]\\([ \\t]{0,9}<(https?:\\/\\/[^<>\\n]{1,2048})>|\\]\\([ \\t]{0,9}(${DESTINATION})(?=[\\s)])|^ {0,3}\\[[^[\\]\\n]{1,999}\\]:[ \\t]{0,9}<?(https?:\\/\\/[^\\s<>]{1,2048})(?=>?(?:[ \\t]{1,9}${TITLE})?[ \\t\\r]{0,9}$)|<(https?:\\/\\/[^\\s<>]{1,2048})>|${BARE}`,
  'gim',
)
const ESCAPED = /\\([!-/:-@[-`{-~])/g

/** Scripts without spaces: each of their letters and digits counts as a word. `ー` belongs to both Japanese ones. */
const UNSPACED =
  '\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
/** A letter or digit of another script. Without lookarounds, so that the time of the expression can be proven linear. */
const FIRST = `(?:[^\\P{L}${UNSPACED}]|[^\\P{N}${UNSPACED}])`
const LETTER = `(?:${FIRST}|\\p{M})`
const WORD = new RegExp(`${FIRST}${LETTER}*(?:'${LETTER}+)*|[\\p{L}\\p{N}]`, 'gu')

/** The words of a text, with letters as a search compares them (contract 1.12). */
export const wordsOf = (text: string): string[] => foldLetters(text).match(WORD) ?? []

import { slugify } from '../../articles/slug'
import { renderBody } from '../../export/render'
import { toHeading } from '../brief'
import { ProviderError } from '../providers/provider'

/** Reads the responses of language models, which keep to what a prompt requests, but not always. */

/** The limits of the API, in characters and headings. */
const TITLE_MAX = 300
const META_TITLE_MAX = 300
const META_DESCRIPTION_MAX = 1000
const HEADING_MAX = 200
const HEADINGS_MAX = 30
/** What search engines show of a description, in characters. */
const SHOWN_DESCRIPTION = 160

/**
 * The headings of an outline, one on each line.
 * @throws {ProviderError} provider_incomplete without any.
 */
export const parseOutline = (response: string): string[] => {
  const headings = unwrap(response)
    .split('\n')
    .map(line => removeMarks(toHeading(line).replace(LIST_MARK, '')).slice(0, HEADING_MAX))
    .filter(heading => heading.trim() !== '')
    .map(heading => heading.toWellFormed())
  const outline = [...new Set(headings)].slice(0, HEADINGS_MAX)
  if (outline.length === 0) throw empty('the headings')
  return outline
}

const LIST_MARK = /^(?:#{1,6}\s+|[-*•]\s+|\d{1,3}[.)]\s+)+/

/**
 * The Markdown of a section, without its heading. Those within it are lowered, and a code block that the model left open
 * ends with it: it would swallow the sections below.
 * @throws {ProviderError} provider_incomplete when there is no text.
 */
export const parseSection = (response: string): string => {
  const text = unwrap(response)
    .replace(/^#{1,6}[ \t][^\n]*/, '')
    .trim()
  if (text === '') throw empty('the text')
  return closed(lowerHeadings(text))
}

/**
 * Headings of level one and two become those of level three, except in lists and quotes, and underlined ones of several
 * lines or with a mark at the beginning. Code, also that of lists, stays.
 */
const lowerHeadings = (text: string): string => {
  /** The columns at which the text of the items begins that a line can belong to. */
  const items: number[] = []
  let code: { fence: string; column: number } | undefined
  let underlined = -2
  let isAfterEnd = true
  const lines = text.split('\n')
  const lower = (line: string, at: number): string => {
    const spaced = line.replaceAll('\t', '    ')
    let rest = spaced.trimStart()
    let column = spaced.length - rest.length
    const isBeginning = isAfterEnd
    isAfterEnd = rest === '' || at === underlined + 1 || ENDED.test(line)
    if (rest === '') return line
    while (column < (items.at(-1) ?? 0)) items.pop()
    if (code !== undefined && column < code.column) code = undefined
    for (let mark = ITEM.exec(rest); code === undefined && mark !== null; mark = ITEM.exec(rest)) {
      rest = rest.slice(mark[0].length)
      column += mark[0].length
      items.push(column)
    }
    const begin = items.at(-1) ?? 0
    const [fence = ''] = (column - begin < 4 && FENCE.exec(rest)) || []
    const after = rest.slice(fence.length)
    if (code !== undefined) {
      // As long at least, and of the same mark, without a language.
      if (fence.startsWith(code.fence) && after.trim() === '') code = undefined
      isAfterEnd = code === undefined
      return line
    }
    if (fence !== '' && !(fence.startsWith('`') && after.includes('`'))) {
      code = { fence, column: begin }
      return line
    }
    if (at === underlined + 1) return ''
    const isUnderlined = isBeginning && begin === 0 && UNDERLINE.test(lines[at + 1] ?? '')
    if (isUnderlined && isParagraph(line)) {
      underlined = at
      return `### ${line.trim()}`
    }
    return line.replace(/^( {0,3})#{1,2}(?=[ \t]|$)/, '$1###')
  }
  return lines.map(lower).join('\n')
}

const ITEM = /^(?:[-*+]|\d{1,9}[.)]) +/
const FENCE = /^(?:`{3,}|~{3,})/
/** Below a line of text it makes that a heading. */
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/
/** A heading or a rule, after which a paragraph begins. */
const ENDED = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|-{3,}[ \t]*$|\*{3,}[ \t]*$)/
/** Whether a line where a paragraph can begin does. */
const isParagraph = (line: string): boolean =>
  /^ {0,3}[^\s>#|<=+-]/.test(line) && !NO_PARAGRAPH.test(line.trimStart())
/** An item, a rule, a definition of a link. Code blocks are known before. */
const NO_PARAGRAPH = /^(?:\d{1,9}[.)](?: |$)|[*_][ \t*_]*$|\* |\[[^\]]*\]:)/

/** With the end of the code block that is open, as the renderer sees it: it would swallow the sections below. */
const closed = (text: string): string => {
  const fences = text.match(/`{3,}|~{3,}/g) ?? []
  const longest = (mark: string) =>
    mark.repeat(Math.max(3, ...fences.filter(one => one.startsWith(mark)).map(one => one.length)))
  const ends = fences.length === 0 ? [] : ['', `\n${longest('`')}`, `\n${longest('~')}`]
  return text + (ends.find(end => isClosed(text + end)) ?? '')
}

const isClosed = (text: string): boolean =>
  renderBody(`${text}\n\n## Next section`).endsWith('<h2>Next section</h2>\n')

type Metadata = {
  title: string
  slug: string
  meta_title: string | null
  meta_description: string | null
}

/** Title, slug and meta tags from labelled lines. What is missing is made from `keyword` and `introduction`. */
export const parseMetadata = (
  response: string,
  { keyword, introduction, language }: { keyword: string; introduction: string; language: string },
): Metadata => {
  const values = new Map<string, string>()
  for (const line of unwrap(response).split('\n')) {
    const [, label = '', value = ''] = LABELLED.exec(line.replaceAll('**', '').trim()) ?? []
    const text = removeMarks(toHeading(value)).replace(/^"(.*)"$/, '$1')
    const name = label.toLowerCase()
    if (text !== '' && !values.has(name)) values.set(name, text)
  }
  const title = cut(values.get('title') || toHeading(keyword), TITLE_MAX)
  return {
    title,
    slug: slugify(values.get('slug') ?? title, language),
    meta_title: cut(values.get('meta title') ?? title, META_TITLE_MAX),
    meta_description:
      cut(values.get('meta description') ?? beginningOf(introduction), META_DESCRIPTION_MAX) ||
      null,
  }
}

const LABELLED = /^(?:[-*][ \t]+)?(title|slug|meta title|meta description)[ \t]*:(.*)$/i

/** Whole words of the text without its marks, as many as search engines show. */
const beginningOf = (markdown: string): string => {
  const [first = '', ...others] = markdown.split('](')
  const withoutLinks = first + others.map(part => part.slice(part.indexOf(')') + 1)).join('')
  const text = toHeading(withoutLinks.replace(/[*_`>#[]/g, ''))
  if (text.length <= SHOWN_DESCRIPTION) return text
  return text.slice(0, text.lastIndexOf(' ', SHOWN_DESCRIPTION)) || text.slice(0, SHOWN_DESCRIPTION)
}

const cut = (text: string, max: number) => text.slice(0, max).toWellFormed()

const empty = (what: string) =>
  new ProviderError(
    'provider_incomplete',
    `The response of the provider lacks ${what}. Retry it later.`,
  )

/** `**Title** ##` -> `Title`. Closing `#` are removed only after white space, so "C#" is kept. */
const removeMarks = (heading: string): string => {
  let end = heading.length
  while (heading[end - 1] === '#') end--
  const text = /\s/.test(heading[end - 1] ?? ' ') ? heading.slice(0, end).trimEnd() : heading
  const isStrong = ['**', '__'].some(mark => text.startsWith(mark) && text.endsWith(mark))
  return isStrong && text.length > 4 ? text.slice(2, -2) : text
}

/** Without white space around it, and without a code fence around all of it. */
const unwrap = (response: string): string => {
  const text = toStorable(response).trim().replaceAll('\r\n', '\n')
  return /^```(?:markdown|md|text)?\n([\s\S]*)\n```$/.exec(text)?.[1]?.trim() ?? text
}

/** PostgreSQL rejects U+0000, and the generation would retry without limit. */
export const toStorable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

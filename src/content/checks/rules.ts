import { type CheckResult, ok, warning } from './result'
import { type ArticleText, CHECKED_MAX, wordsOf } from './text'

/** Checks of a text by itself. Each returns undefined where it does not apply. */

/** How far the number of words may be from that of the brief. */
const LENGTH_TOLERANCE = 0.25
/** Words from which a text needs headings, and words between two of them. */
const WITHOUT_HEADING_MAX = 400
/** The part of all words that belong to the keyword, from which it is stuffing, and how often it may occur anyway. */
const STUFFING = 0.04
const OCCURRENCES_MIN = 5

/** `length`: the words that the brief asks for. */
export const checkLength = (text: ArticleText, length: number | null): CheckResult | undefined => {
  if (length === null) return undefined
  const { length: count } = text.words
  const message = `The text has ${count} words; the brief asks for about ${length}.`
  if (Math.abs(count - length) <= length * LENGTH_TOLERANCE) return ok('length', message)
  return warning('length', `${message} ${count < length ? 'Add to it' : 'Shorten it'}.`)
}

export const checkHeadings = (text: ArticleText): CheckResult => {
  const { length: count } = text.headings
  const { length: words } = text.words
  if (words / (count + 1) <= WITHOUT_HEADING_MAX)
    return ok(
      'headings',
      count === 0
        ? 'The text is short enough without headings.'
        : `The text has ${count} ${count === 1 ? 'heading' : 'headings'}.`,
    )
  return warning(
    'headings',
    `The text has ${words} words and ${count === 0 ? 'no heading' : `${count} ${count === 1 ? 'heading' : 'headings'}`}. Divide it: readers expect one at least every ${WITHOUT_HEADING_MAX} words.`,
  )
}

/** Whether all words of the keyword are in the title and in the first paragraph, and not too often in the text. */
export const checkKeyword = (
  title: string,
  text: ArticleText,
  keyword: string | null,
): CheckResult | undefined => {
  const wanted = wordsOf(keyword ?? '')
  if (keyword === null || wanted.length === 0) return undefined
  const missing = [
    ...(hasAll(title, wanted) ? [] : ['the title']),
    ...(hasAll(text.opening, wanted) ? [] : ['the first paragraph']),
  ]
  if (missing.length > 0)
    return warning(
      'keyword',
      `“${keyword}” is not in ${missing.join(' or ')}. Use its words there.`,
    )
  const { words } = text
  const times = occurrences(words, wanted)
  if (times > OCCURRENCES_MIN && (times * wanted.length) / words.length > STUFFING)
    return warning(
      'keyword',
      `“${keyword}” occurs ${times} times in ${words.length} words, which search engines take for stuffing. Use it less often.`,
    )
  return ok('keyword', `“${keyword}” is in the title and in the first paragraph.`)
}

const hasAll = (text: string, wanted: readonly string[]): boolean => {
  const words = new Set(wordsOf(text).flatMap(partsOf))
  return wanted.every(word => partsOf(word).some(part => words.has(part)))
}

/** A word, and its parts around an apostrophe: `l'hotel` has `hotel`, and `portland's` has `portland`. */
const partsOf = (word: string): string[] => [
  word,
  ...word.split("'").filter(part => part.length > 1),
]

const occurrences = (words: readonly string[], wanted: readonly string[]): number =>
  words.filter((_, at) => wanted.every((word, n) => words[at + n] === word)).length

/** What a template or a language model leaves behind. */
const PLACEHOLDERS =
  /lorem ipsum|\b(?:TODO|FIXME|TBD|XXX)\b|\{\{[^{}\n]{1,80}\}\}|\[(?:insert|your|add|placeholder|company|brand|product|name)\b[^\]\n]{0,80}\](?!\()|<(?:insert|your) [^<>\n]{1,80}>|\bas an ai (?:language )?model\b/giu

export const checkPlaceholders = (title: string, body: string): CheckResult => {
  const found = [...`${title}\n${body.slice(0, CHECKED_MAX)}`.matchAll(PLACEHOLDERS)]
    .map(([text]) => text)
    // Of these only capitals are placeholders: "todo" is a word of Spanish.
    .filter(text => !/^(todo|fixme|tbd|xxx)$/i.test(text) || text === text.toUpperCase())
  const [first] = found
  if (first === undefined) return ok('placeholder', 'The text has no placeholders.')
  return warning(
    'placeholder',
    `The text has ${found.length === 1 ? 'a placeholder' : `${found.length} placeholders`}, such as “${first}”. Replace ${found.length === 1 ? 'it' : 'them'} with text.`,
  )
}

import { type CheckResult, ok, warning } from './result'
import type { ArticleText } from './text'

/** Characters: less says too little, more says the same. */
const MIN = 100
const MAX = 5_000
/** Of a paragraph: it has a part in the decision, and need not decide alone. */
const PARAGRAPH_MIN = 50
/** The part of the text's letter groups from which another language is reported. */
const SURE = 0.5

/** Longer words than most of those that only connect others. */
const WORD = /\p{L}{4,}/gu

/** Names of languages that the detector has under another one. */
const SAME: { [language: string]: string } = { nb: 'no', nn: 'no' }

const names = new Intl.DisplayNames(['en'], { type: 'language' })

/**
 * Whether the text is in `language`, a BCP 47 tag. Undefined where that cannot be said: a short text, or a language
 * that the detector does not know.
 */
export const checkLanguage = async (
  { paragraphs }: ArticleText,
  language: string,
): Promise<CheckResult | undefined> => {
  const text = paragraphs.join('\n').slice(0, MAX)
  if (text.length < MIN) return undefined
  // When it is first needed: its tables take 0.3 s to load.
  const { detectAll, supportedLanguages, toISO2 } = await import('tinyld')
  const [primary = ''] = language.toLowerCase().split('-')
  const wanted = SAME[primary] ?? primary
  if (!supportedLanguages.some(one => toISO2(one) === wanted)) return undefined
  const languageOf = (part: string) => {
    const [first] = detectAll(withoutRepeated(part))
    return first && { name: first.lang, isSure: first.accuracy >= SURE }
  }
  const found = languageOf(text)
  if (found === undefined) return undefined
  const most = mostOf(text.split('\n'), languageOf)
  const sure = found.isSure ? found.name : most
  if (sure !== undefined && sure !== wanted)
    return warning(
      'language',
      `The text, or most of it, seems to be in ${nameOf(sure)}; the language of the project is ${nameOf(language)}. Write it in that language, or change the language of the project.`,
    )
  const name = nameOf(language)
  if (sure === undefined)
    return ok('language', `No other language than ${name} is recognized with certainty.`)
  if (most !== undefined && most !== wanted)
    return ok(
      'language',
      `As a whole the text seems to be in ${name}, as the project, but most of its paragraphs in ${nameOf(most)}.`,
    )
  return ok('language', `The text is in ${name}, as the project.`)
}

type Found = { name: string; isSure: boolean }

/**
 * The language of most of the text by its paragraphs. Two languages in one text leave the detector undecided, and a few
 * words of one with letters of its own, such as Vietnamese, decide it against a page of English.
 */
const mostOf = (
  paragraphs: string[],
  languageOf: (paragraph: string) => Found | undefined,
): string | undefined => {
  const lengths = new Map<string, number>()
  for (const paragraph of paragraphs.filter(({ length }) => length >= PARAGRAPH_MIN)) {
    const found = languageOf(paragraph)
    if (found?.isSure) lengths.set(found.name, (lengths.get(found.name) ?? 0) + paragraph.length)
  }
  const all = paragraphs.join('').length
  return [...lengths].find(([, length]) => length > all / 2)?.[0]
}

/**
 * The text with each longer word only where it is first. A name or a term is no sign of a language, but can decide for
 * the detector: an English text of which 3 % was "JSON" was Czech, and one that repeats "für große Frauen" was German.
 */
const withoutRepeated = (text: string): string => {
  const seen = new Set<string>()
  return text.replace(WORD, word => {
    const size = seen.size
    return seen.add(word.toLowerCase()).size > size ? word : ''
  })
}

const nameOf = (language: string): string => names.of(language) ?? language

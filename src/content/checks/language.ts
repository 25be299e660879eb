import { type CheckResult, ok, warning } from './result'
import type { ArticleText } from './text'

/** Characters: less says too little, more says the same. */
const MIN = 100
const MAX = 5_000
/** The part of the text's letter groups from which another language is reported. */
const SURE = 0.5

/** Longer words than most of those that only connect others. */
const WORD = /\p{L}{4,}/gu
/** How many repeated words can be terms. */
const TERMS = 10

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
  const [found] = detectAll(text)
  if (found === undefined) return undefined
  /** The other language that a text is certainly in. */
  const otherOf = (part: string, [first] = detectAll(part)): string | undefined =>
    first !== undefined &&
    first.lang !== wanted &&
    first.accuracy >= SURE &&
    detectAll(withoutTerms(part))[0]?.lang === first.lang
      ? first.lang
      : undefined
  const other =
    otherOf(text, [found]) ??
    (found.lang === wanted && found.accuracy >= SURE
      ? undefined
      : mostOf(text.split('\n'), paragraph => otherOf(paragraph)))
  if (other !== undefined)
    return warning(
      'language',
      `The text, or most of it, seems to be in ${nameOf(other)}; the language of the project is ${nameOf(language)}. Write it in that language, or change the language of the project.`,
    )
  return ok(
    'language',
    found.lang === wanted
      ? `The text is in ${nameOf(language)}, as the project.`
      : `No other language than ${nameOf(language)} is recognized with certainty.`,
  )
}

/** The language of most of the text by its paragraphs: two languages in one text leave the detector undecided. */
const mostOf = (
  paragraphs: string[],
  languageOf: (paragraph: string) => string | undefined,
): string | undefined => {
  const lengths = new Map<string, number>()
  for (const paragraph of paragraphs.filter(({ length }) => length >= MIN)) {
    const language = languageOf(paragraph)
    if (language !== undefined)
      lengths.set(language, (lengths.get(language) ?? 0) + paragraph.length)
  }
  const all = paragraphs.join('').length
  return [...lengths].find(([, length]) => length > all / 2)?.[0]
}

/**
 * The text without the words that it repeats most. A name or a term is no sign of a language, but can decide for the
 * detector: an English text of which 3 % is "JSON" was Czech.
 */
const withoutTerms = (text: string): string => {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(WORD))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  const repeated = [...counts].filter(([, count]) => count > 1).sort(([, a], [, b]) => b - a)
  const terms = new Set(repeated.slice(0, TERMS).map(([word]) => word))
  return text.replace(WORD, word => (terms.has(word.toLowerCase()) ? '' : word))
}

const nameOf = (language: string): string => names.of(language) ?? language

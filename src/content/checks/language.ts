import { type CheckResult, ok, warning } from './result'
import type { ArticleText } from './text'

/** Characters: less says too little, more says the same. */
const MIN = 100
const MAX = 5_000
/** The part of the text's letter groups from which another language is reported. */
const SURE = 0.5

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
  if (found.lang === wanted || found.accuracy < SURE)
    return ok('language', `The text is in ${nameOf(language)}, as the project.`)
  return warning(
    'language',
    `The text seems to be in ${nameOf(found.lang)}; the language of the project is ${nameOf(language)}. Write it in that language, or change the language of the project.`,
  )
}

const nameOf = (language: string): string => names.of(language) ?? language

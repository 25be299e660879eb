/** Letters of the Latin script that Unicode does not decompose, as they are written with plain ones. */
export const LATIN_LETTERS = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
} as const

const PLAIN_QUOTES: Readonly<Record<string, string>> = {
  '’': "'",
  '‘': "'",
  '‚': "'",
  // The apostrophe of Ukrainian and Uzbek, and the geresh and gershayim of Hebrew.
  ʼ: "'",
  '׳': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '״': '"',
}

/** With the quotes that keyboards have instead of those of text processors. */
export const plainQuotes = (text: string): string => replaceLetters(text, PLAIN_QUOTES)

/** What texts are compared with, after their marks are removed and they are in lower case (contract 1.12). */
export const PLAIN: Readonly<Record<string, string>> = {
  ...LATIN_LETTERS,
  ...PLAIN_QUOTES,
  // The lower case of Σ depends on its place in the word, and in PostgreSQL on the locale.
  ς: 'σ',
}

/** Soft hyphen, zero-width space, word joiner and byte order mark, which text processors and web pages put into words. */
const INVISIBLE = '\\u00ad\\u200b\\u2060\\ufeff'
const EACH_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'g')

/** A text without the invisible characters that can be anywhere in it. */
export const withoutInvisible = (text: string): string => text.replace(EACH_INVISIBLE, '')

/** With the joiners of Persian and Hindi. */
const UNSEEN = `${INVISIBLE}\\u200c\\u200d`
const EACH_UNSEEN = new RegExp(`[${UNSEEN}]`, 'g')

/** What letters have above or below them, such as the acute of é, when Unicode writes both apart. Not the stroke of ≠. */
const MARKS = '\\u0300-\\u0333\\u0339-\\u036f'
const EACH_MARK = new RegExp(`[${MARKS}]`, 'g')

/** What is left out of texts before they are compared, as a class of a regular expression. */
export const IGNORED = `[${MARKS}${UNSEEN}]`

/**
 * Combining marks in a row, as in the stream-safe text format of Unicode (UAX #15): to put them in their order takes
 * quadratic time, 92 s for 200,000.
 */
export const MARKS_MAX = 30
const MORE_MARKS = new RegExp(`(\\p{M}{${MARKS_MAX}})\\p{M}+`, 'gu')

/** The form in which a search compares texts (contract 1.12). `src/db/contains.ts` has it in SQL. */
export const foldLetters = (text: string): string =>
  replaceLetters(
    text
      // Before the rest are counted: it divides marks that would then be in a row.
      .replace(EACH_UNSEEN, '')
      .replace(MORE_MARKS, '$1')
      .normalize('NFD')
      .replace(EACH_MARK, '')
      .normalize('NFC')
      .toLowerCase(),
    PLAIN,
  )

/** One letter after the other: a callback for each letter of the text takes 40 ms for 200,000 of them instead of 0.5. */
const replaceLetters = (text: string, letters: Readonly<Record<string, string>>): string =>
  Object.entries(letters).reduce((plain, [letter, other]) => plain.replaceAll(letter, other), text)

import { LATIN_LETTERS } from '../../letters'

/** Characters; search engines cut longer slugs. */
const SLUG_MAX = 80

const LATIN = new Map<string, string>(Object.entries(LATIN_LETTERS))
/** Other languages write these without the dots. */
const GERMAN = new Map(Object.entries({ ä: 'ae', ö: 'oe', ü: 'ue' }))

/** Whether the slug of a title depends on the language. */
export const needsLanguage = (title: string): boolean => /[äöü]/i.test(title.normalize('NFC'))

/**
 * `Crème brûlée, easily!` -> `creme-brulee-easily`. Letters of other scripts are kept as they are.
 * @param language BCP 47; undefined when it is not known.
 */
export const slugify = (title: string, language: string | undefined): string => {
  const isGerman = /^de\b/i.test(language ?? '')
  const toAscii = (letter: string) => {
    const base = letter.normalize('NFD').replace(/\p{M}/gu, '')
    return (isGerman && GERMAN.get(letter)) || (LATIN.get(base) ?? base)
  }
  const words = title
    // Optional hyphens within words.
    .replaceAll('\u00ad', '')
    // Symbols such as ™, which NFKC makes letters of.
    .replace(/\p{So}/gu, ' ')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Script=Latin}\p{M}*/gu, toAscii)
    // Marks that choose how a character looks.
    .replace(/[\uFE00-\uFE0F\p{Me}]/gu, '')
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu)
  const slug = (words ?? []).join('-').slice(0, SLUG_MAX)
  return slug.replace(/-?\p{Cs}?$/u, '') || 'untitled'
}

import { plainQuotes, withoutInvisible } from '../../letters'

/** Unicode NFC, single spaces, and nothing invisible: search engines ignore how accents are encoded and extra white space. */
export const normalizeKeyword = (text: string): string =>
  withoutInvisible(text).normalize('NFC').trim().replace(/\s+/gu, ' ')

/**
 * The form in which duplicates are equal (contract 6.2). Lower case alone would distinguish words that are equal in capitals: final
 * sigma, `ß` and `ss`. The dotless i remains, because in Turkish it makes a different word; the lower case of `İ` is two
 * characters without a locale.
 */
export const foldKeyword = (keyword: string): string =>
  plainQuotes(keyword)
    .replaceAll('İ', 'i')
    .replace(/[^ı]+/gu, part => part.toLowerCase().toUpperCase().toLowerCase())
    .normalize('NFC')

import { toDomain } from '../domain-name'
import type { Db, Fragment } from './connect'

/** Each word is compared with each row: 10 words in 100,000 titles take 0.8 to 1.1 s, one takes 0.3 s (load 10). */
const WORDS_MAX = 10

/**
 * SQL: each word of `text` is in one of `columns`, in any order and whatever its case (contract 1.12). One statement
 * whatever the number of words is, because a connection keeps each one prepared.
 */
export const contains = (db: Db, text: string, columns: readonly Fragment[]): Fragment => {
  const [first = db`NULL`, ...others] = columns
  const all = others.reduce((list, column) => db`${list}, ${column}`, first)
  const patterns = wordsOf(text).map(word => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  return db`lower(concat_ws(chr(10), ${all})) LIKE ALL (
    ARRAY(SELECT lower(pattern) FROM unnest(${patterns}::text[]) AS pattern))`
}

/** `text` with its words in the form that domains are stored in. */
export const asDomains = (text: string): string => text.trim().split(/\s+/).map(toDomain).join(' ')

const wordsOf = (text: string): string[] => {
  const words = text.trim().normalize('NFC').split(/\s+/)
  return words.length <= WORDS_MAX
    ? words
    : [...words.slice(0, WORDS_MAX - 1), words.slice(WORDS_MAX - 1).join(' ')]
}

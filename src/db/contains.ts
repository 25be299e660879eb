import { toDomain } from '../domain-name'
import { LATIN_LETTERS } from '../latin-letters'
import type { Db, Fragment } from './connect'

/** Each word is compared with each row: 10 words in 100,000 titles in ASCII take 0.8 to 1.1 s, one takes 0.3 s (load 10). */
const WORDS_MAX = 10

/** What letters have above or below them, such as the acute of é, when Unicode writes both apart. Not the stroke of ≠. */
const MARKS = '[\\u0300-\\u0333\\u0339-\\u036f]'

/**
 * SQL: each word of `text` is in one of `columns`, in any order, whatever its case and without marks (contract 1.12).
 * One statement whatever the number of words is, because a connection keeps each one prepared.
 */
export const contains = (db: Db, text: string, columns: readonly Fragment[]): Fragment =>
  db`${searched(db, columns)} LIKE ALL (
    ARRAY(SELECT ${folded(db, db`pattern`)} FROM unnest(${wordsOf(text).map(toPattern)}::text[]) AS pattern))`

/** The same, with words that can also be in the form in which domains are stored. */
export const containsOrDomain = (db: Db, text: string, columns: readonly Fragment[]): Fragment => {
  const words = wordsOf(text)
  const domains = words.map(toDomain)
  // OFFSET 0 folds the text of a row once.
  return db`NOT EXISTS (
    SELECT FROM (SELECT ${searched(db, columns)} OFFSET 0) AS one(searched),
      unnest(${words.map(toPattern)}::text[], ${domains.map(toPattern)}::text[]) AS pattern(as_typed, as_domain)
    WHERE searched NOT LIKE ${folded(db, db`as_typed`)} AND searched NOT LIKE ${folded(db, db`as_domain`)})`
}

const searched = (db: Db, [first = db`NULL`, ...others]: readonly Fragment[]): Fragment =>
  folded(
    db,
    db`concat_ws(chr(10), ${others.reduce((list, column) => db`${list}, ${column}`, first)})`,
  )

/**
 * SQL: `text` in lower case, with plain letters where the database has the encoding UTF-8. ASCII has no others: 100,000
 * titles take 0.2 s instead of 1.6 s.
 */
export const folded = (db: Db, text: Fragment): Fragment =>
  db`(SELECT ${db.unsafe(FOLDED)} FROM (SELECT ${text}) AS one(given))`

/** SQL: a text that PostgreSQL reads only where it is used. Other encodings do not have it. */
const utf8 = (text: string) =>
  `convert_from('\\x${Buffer.from(text).toString('hex')}', getdatabaseencoding())`

/** Text processors write the first of the quotes. Marks go before `lower`: the locale `C` has no lower case of É. */
const FOLDED = `CASE
  WHEN octet_length(given) = length(given) OR getdatabaseencoding() <> 'UTF8' THEN lower(given)
  ELSE ${[...Object.entries(LATIN_LETTERS), ['’', "'"], ['‘', "'"]].reduce(
    (text, [letter = '', plain = '']) => `replace(${text}, ${utf8(letter)}, ${utf8(plain)})`,
    `lower(normalize(regexp_replace(normalize(given, NFD), '${MARKS}', '', 'g'), NFC))`,
  )}
END`

const toPattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** Each once; where there are more than ten, from the tenth on the rest of the text as it is. */
const wordsOf = (text: string): string[] => {
  const normal = text.trim().normalize('NFC')
  const words = [...normal.matchAll(/\S+/g)]
  const single = [...new Set(words.map(([word]) => word))]
  const tenth = words[WORDS_MAX - 1]
  if (single.length <= WORDS_MAX || tenth === undefined) return single
  return [...words.slice(0, WORDS_MAX - 1).map(([word]) => word), normal.slice(tenth.index)]
}

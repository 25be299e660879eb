import { toDomain } from '../domain-name'
import { IGNORED, PLAIN } from '../letters'
import type { Db, Fragment } from './connect'

/** Each word is compared with each row: 10 words in 100,000 titles in ASCII take 0.8 to 1.1 s, one takes 0.3 s (load 10). */
const WORDS_MAX = 10

/**
 * SQL: each word of `text` is in one of `columns`, in any order, whatever its case and without marks (contract 1.12).
 * One statement whatever the number of words is, because a connection keeps each one prepared.
 */
export const contains = (db: Db, text: string, columns: readonly Fragment[]): Fragment =>
  db`${searched(db, columns)} LIKE ALL (${patternsOf(db, wordsOf(text))})`

/** The same, with words that can also be in the form in which domains are stored. */
export const containsOrDomain = (db: Db, text: string, columns: readonly Fragment[]): Fragment => {
  const words = wordsOf(text)
  // OFFSET 0 folds the text of a row once.
  return db`NOT EXISTS (
    SELECT FROM (SELECT ${searched(db, columns)} OFFSET 0) AS one(searched),
      unnest(${patternsOf(db, words)}, ${patternsOf(db, words.map(toDomain))}) AS pattern(as_typed, as_domain)
    WHERE searched NOT LIKE as_typed AND searched NOT LIKE as_domain)`
}

/** SQL: the patterns of words, folded once for a statement. */
const patternsOf = (db: Db, words: readonly string[]): Fragment => db`ARRAY(
  SELECT ${folded(db, db`pattern`)}
  FROM unnest(${words.map(toPattern)}::text[]) WITH ORDINALITY AS one(pattern, n) ORDER BY n)`

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

/**
 * ASCII has the lower case of every locale but the Turkish. Marks go before `lower`: the locale `C` has none of É. The
 * collation of a column can be `C`, too, or another one than that of the next.
 */
const FOLDED = `CASE
  WHEN getdatabaseencoding() <> 'UTF8' THEN lower(given COLLATE "default") COLLATE "C"
  WHEN octet_length(given) = length(given) THEN lower(given COLLATE "C")
  ELSE ${Object.entries(PLAIN).reduce(
    (text, [letter, plain]) => `replace(${text}, ${utf8(letter)}, ${utf8(plain)})`,
    `lower(normalize(regexp_replace(normalize(given, NFD), '${IGNORED}', '', 'g'), NFC) COLLATE "default")`,
  )} COLLATE "C"
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

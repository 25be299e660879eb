import type { Db, Fragment } from './connect'

/**
 * SQL: each word of `text` is in one of `columns`, in any order and whatever its case (contract 1.12). `strpos` has no
 * wildcards, so there is nothing to escape. In a subquery, a word is folded once instead of for each row.
 */
export const contains = (db: Db, text: string, columns: readonly Fragment[]): Fragment => {
  const words = new Set(text.trim().normalize('NFC').split(/\s+/))
  const isIn = (word: string) =>
    columns.reduce(
      (found, column) => db`${found} OR strpos(lower(${column}), (SELECT lower(${word}))) > 0`,
      db`false`,
    )
  return [...words].reduce((all, word) => db`${all} AND (${isIn(word)})`, db`true`)
}

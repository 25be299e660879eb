import type { Db, Fragment } from './connect'

/**
 * SQL: one of `columns` contains `text`, whatever its case (contract 1.12). `strpos` has no wildcards, so there is
 * nothing to escape. In a subquery, `text` is folded once instead of for each row.
 */
export const contains = (db: Db, text: string, columns: readonly Fragment[]): Fragment => {
  const wanted = text.trim().normalize('NFC')
  return columns.reduce(
    (found, column) => db`${found} OR strpos(lower(${column}), (SELECT lower(${wanted}))) > 0`,
    db`false`,
  )
}

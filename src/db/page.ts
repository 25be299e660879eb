/** One page of a list, newest first: up to `limit` rows with ids below `before` (contract 1). */
export type Page = { limit: number; before: string | null }

/** The rows of a page, and the id to go on from, or null on the last page. */
export type Paged<T> = { rows: T[]; next: string | null }

/**
 * Cuts what a query with `LIMIT limit + 1` found into a page. Ids sort by time and a page goes on below
 * the last id it showed, so rows that are inserted meanwhile are neither skipped nor repeated.
 */
export const toPage = <T extends { id: string }>(found: readonly T[], page: Page): Paged<T> => {
  const rows = found.slice(0, page.limit)
  return { rows, next: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null }
}

import type { Fragment, Sql } from '../../db/connect'
import { isId } from '../../ids'
import type { Keyword } from './schema'

/** The orders of the list of keywords, and cursors in them (contract 6.23). */

export const KEYWORD_SORTS = ['position', '-position', 'change', '-change'] as const
export type KeywordSort = (typeof KEYWORD_SORTS)[number]

/** "Not found" comes after all positions. */
const NOT_FOUND = 101

type Cursor = { sort: KeywordSort; value: number; id: string }

/** The cursor after `keyword`. In it is what the order compares, so a new ranking does not move the page. */
export const cursorAfter = (
  sort: KeywordSort,
  { id, latest_position, position_change }: Keyword,
): string => {
  const value = isByPosition(sort) ? (latest_position ?? NOT_FOUND) : (position_change ?? 0)
  return `${sort}:${value}:${id}`
}

/** Undefined for a text that is no cursor of a sorted list. */
export const readCursor = (text: string): Cursor | undefined => {
  const [, name, value, id = ''] = /^(-?[a-z]+):(-?\d{1,3}):(.+)$/.exec(text) ?? []
  const sort = KEYWORD_SORTS.find(one => one === name)
  return sort !== undefined && isId('kw', id) ? { sort, value: Number(value), id } : undefined
}

/** SQL for the rows after a cursor, and for their order: the best position, or the largest gain, first. */
export const keywordOrder = (sql: Sql, sort: KeywordSort, after: Cursor | undefined) => {
  // The expressions of the indexes keywords_position and keywords_change.
  const key = isByPosition(sort)
    ? sql`coalesce(latest_position, 101)`
    : sql`coalesce(position_change, 0)`
  const isAscending = sort === 'position' || sort === '-change'
  const where: Fragment =
    after === undefined
      ? sql``
      : sql`AND (${key}, id) ${isAscending ? sql`>` : sql`<`} (${after.value}, ${after.id})`
  const direction = isAscending ? sql`ASC` : sql`DESC`
  return { where, orderBy: sql`project_id, ${key} ${direction}, id ${direction}` }
}

const isByPosition = (sort: KeywordSort) => sort === 'position' || sort === '-position'

import { t } from 'elysia'
import { PAGE_LIMIT_MAX, type PageRequest, type PageResult } from '../../db/page'
import { invalid } from '../../errors'
import { type IdPrefix, isId } from '../../ids'
import { withRule } from '../rule'
import { Integer, NonBlank, Time } from '../schema'

const LIMIT_DEFAULT = 50

/** Characters: an id in base64url has 40. */
const CURSOR_MAX = 200

export const CursorQuery = t.String({
  minLength: 1,
  maxLength: CURSOR_MAX,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'The `next_cursor` of the previous page.',
})

/** The query members of a list whose ids have `prefix` (contract 1.2). */
export const pageQuery = (prefix: IdPrefix) => pageQueryOf(text => isId(prefix, text))

/** The same for a list in the order of a number, which has up to nine digits. */
export const numberPageQuery = () => pageQueryOf(text => /^[1-9]\d{0,8}$/.test(text))

/** The same for a list with cursors of its own. */
export const pageQueryOf = (isOfList: (text: string) => boolean) => ({
  limit: t.Optional(
    Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `Largest number of records, 1 to ${PAGE_LIMIT_MAX}. Default ${LIMIT_DEFAULT}. A page of large records can have fewer: follow \`next_cursor\`.`,
    }),
  ),
  cursor: t.Optional(
    withRule(CursorQuery, cursor => (isOfList(decodeCursor(cursor)) ? undefined : WRONG_CURSOR)),
  ),
})

/** Characters of a text search: that of the longest title. */
const SEARCH_MAX = 300

/** The query member of lists that can be searched (contract 1.12). `members` names what is searched. */
export const searchQuery = (members: string) => ({
  search: t.Optional(
    NonBlank({
      maxLength: SEARCH_MAX,
      description: `Only records that have each of these words, or parts of words, in ${members}, in upper or lower case, with or without accents.`,
      examples: ['coffee'],
    }),
  ),
})

/** The query members of lists that can be filtered by time of creation. */
export const createdBetweenQuery = {
  created_after: t.Optional(Time({ description: 'Only records created after this time.' })),
  created_before: t.Optional(Time({ description: 'Only records created before this time.' })),
}

/** The page that a query with the members of `pageQuery` requests. */
export const toPageRequest = (query: { limit?: number; cursor?: string }): PageRequest => ({
  limit: query.limit ?? LIMIT_DEFAULT,
  before: query.cursor === undefined ? null : decodeCursor(query.cursor),
})

/** The response of a list: `{data, next_cursor}` (contract 1.2). */
export const toListResponse = <T>(
  page: PageResult<T>,
): { data: T[]; next_cursor: string | null } => ({
  data: page.rows,
  next_cursor: page.next === null ? null : Buffer.from(page.next).toString('base64url'),
})

const decodeCursor = (cursor: string): string => Buffer.from(cursor, 'base64url').toString()

const WRONG_CURSOR = 'is not a next_cursor of this list. Omit it to start with the newest record.'

/** The error for a cursor that is not from this list. */
export const invalidCursor = () => invalid('cursor', WRONG_CURSOR)

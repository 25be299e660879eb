import { t } from 'elysia'
import { PAGE_LIMIT_MAX, type PageRequest, type PageResult } from '../../db/page'
import { invalid } from '../../errors'
import { type IdPrefix, isId } from '../../ids'
import { Integer, Time } from '../schema'
import { isStorable, NOT_STORABLE_MESSAGE } from './json-limits'

const LIMIT_DEFAULT = 50

/** Characters: an id in base64url has 40. */
const CURSOR_MAX = 200

export const CursorQuery = t.String({
  minLength: 1,
  maxLength: CURSOR_MAX,
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'The `next_cursor` of the previous page.',
})

/** The query members of every list (contract 1.2). */
export const pageQuery = {
  limit: t.Optional(
    Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `Largest number of records, 1 to ${PAGE_LIMIT_MAX}. Default ${LIMIT_DEFAULT}. A page of large records can have fewer: follow \`next_cursor\`.`,
    }),
  ),
  cursor: t.Optional(CursorQuery),
}

type QueryContext = { request: Request; query: Record<string, unknown> }

/**
 * Prepares a query for validation: converts `limit`, its only number, from text.
 * @throws {DomainError} VALIDATION_ERROR for text that PostgreSQL cannot store, and for a member that occurs
 * twice (contract 1.7).
 */
export const readQuery = ({ request, query }: QueryContext): void => {
  if (!request.url.includes('?')) return
  const seen = new Set<string>()
  for (const member of new URL(request.url).searchParams.keys()) {
    if (seen.has(member)) throw invalid(member, 'occurs more than once. Send one value.')
    seen.add(member)
  }
  for (const [member, value] of Object.entries(query))
    if (typeof value === 'string' && !isStorable(value)) throw invalid(member, NOT_STORABLE_MESSAGE)
  const { limit } = query
  if (typeof limit === 'string' && /^\d{1,9}$/.test(limit)) query.limit = Number(limit)
}

/** The query members of lists that can be filtered by time of creation. */
export const createdBetweenQuery = {
  created_after: t.Optional(Time({ description: 'Only records created after this time.' })),
  created_before: t.Optional(Time({ description: 'Only records created before this time.' })),
}

/**
 * The requested page of a list whose ids have `prefix`.
 * @throws {DomainError} VALIDATION_ERROR for a cursor that is not from this list.
 */
export const toPageRequest = (
  query: { limit?: number; cursor?: string },
  prefix: IdPrefix,
): PageRequest => ({
  limit: query.limit ?? LIMIT_DEFAULT,
  before:
    query.cursor === undefined ? null : decodeCursor(query.cursor, text => isId(prefix, text)),
})

/** The same for a list in the order of a number: `before` has up to nine digits. */
export const toNumberPageRequest = (query: { limit?: number; cursor?: string }): PageRequest => ({
  limit: query.limit ?? LIMIT_DEFAULT,
  before:
    query.cursor === undefined
      ? null
      : decodeCursor(query.cursor, text => /^[1-9]\d{0,8}$/.test(text)),
})

/** The response of a list: `{data, next_cursor}` (contract 1.2). */
export const toListResponse = <T>(
  page: PageResult<T>,
): { data: T[]; next_cursor: string | null } => ({
  data: page.rows,
  next_cursor: page.next === null ? null : Buffer.from(page.next).toString('base64url'),
})

const decodeCursor = (cursor: string, isOfList: (text: string) => boolean): string => {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!isOfList(text)) throw invalidCursor()
  return text
}

/** The error for a cursor that is not from this list. */
export const invalidCursor = () =>
  invalid('cursor', 'is not a next_cursor of this list. Omit it to start with the newest record.')

import { t } from 'elysia'
import { PAGE_LIMIT_MAX, type PageRequest, type PageResult } from '../../db/page'
import { invalid } from '../../errors'
import { type IdPrefix, isId } from '../../ids'
import { Integer } from '../schema'
import { isStorable, NOT_STORABLE_MESSAGE } from './body'

const LIMIT_DEFAULT = 50

/** The query members that every list takes (contract 1.2). */
export const pageQuery = {
  limit: t.Optional(
    Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      description: `How many records, 1 to ${PAGE_LIMIT_MAX}; ${LIMIT_DEFAULT} when absent.`,
    }),
  ),
  cursor: t.Optional(t.String({ description: 'The `next_cursor` of the page before.' })),
}

type QueryContext = { request: Request; query: Record<string, unknown> }

/**
 * Makes a query fit to be checked: it is text, and the one number among its members becomes one here.
 * @throws {DomainError} VALIDATION_ERROR for text that PostgreSQL cannot hold, and for a member that is
 * there twice, of which only one would be heeded.
 */
export const readQuery = ({ request, query }: QueryContext): void => {
  if (!request.url.includes('?')) return
  const seen = new Set<string>()
  for (const member of new URL(request.url).searchParams.keys()) {
    if (seen.has(member)) throw invalid(member, 'is there more than once. Give one value.')
    seen.add(member)
  }
  for (const [member, value] of Object.entries(query))
    if (typeof value === 'string' && !isStorable(value)) throw invalid(member, NOT_STORABLE_MESSAGE)
  const { limit } = query
  if (typeof limit === 'string' && /^\d{1,9}$/.test(limit)) query.limit = Number(limit)
}

/** The query members of lists that can be narrowed to a time. */
export const createdBetweenQuery = {
  created_after: t.Optional(t.String({ format: 'date-time', description: 'Only what is newer.' })),
  created_before: t.Optional(t.String({ format: 'date-time', description: 'Only what is older.' })),
}

/**
 * The page that a query of a list of `prefix` records asks for.
 * @throws {DomainError} VALIDATION_ERROR for a cursor that this list did not give.
 */
export const toPageRequest = (
  query: { limit?: number; cursor?: string },
  prefix: IdPrefix,
): PageRequest => ({
  limit: query.limit ?? LIMIT_DEFAULT,
  before: query.cursor === undefined ? null : decodeCursor(query.cursor, prefix),
})

/** The answer to a list request: `{data, next_cursor}`. */
export const toListResponse = <T>(
  page: PageResult<T>,
): { data: T[]; next_cursor: string | null } => ({
  data: page.rows,
  next_cursor: page.next === null ? null : Buffer.from(page.next).toString('base64url'),
})

const decodeCursor = (cursor: string, prefix: IdPrefix): string => {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (!isId(prefix, id)) throw invalidCursor()
  return id
}

/** For a cursor that the list did not give. */
export const invalidCursor = () =>
  invalid('cursor', 'is not a next_cursor of this list. Leave it out to start at the newest.')

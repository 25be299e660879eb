import type { Caller } from '../caller'
import type { Fragment, Sql } from '../db/connect'
import { type CreatedBetween, createdBetween } from '../db/created-between'
import { indexableEq, type PageRequest, type PageResult, readPage } from '../db/page'
import { notFound } from '../errors'
import type { Method } from '../http/methods'
import { isId } from '../ids'
import type { FailedRequest } from './schema'

type RequestFilter = CreatedBetween & {
  status?: number
  method?: Method
  key_id?: string
  request_id?: string
}

/** A page of the failed requests that match, newest first (contract 2.6). */
export const listFailedRequests = (
  sql: Sql,
  caller: Caller,
  filter: RequestFilter,
  page: PageRequest,
): Promise<PageResult<FailedRequest>> => {
  const { status, method, key_id, request_id } = filter
  const list = sql`
    SELECT * FROM failed_requests
    WHERE account_id = ${indexableEq(sql, caller.accountId)} ${visibleTo(sql, caller)}
      ${page.before === null ? sql`` : sql`AND id < ${page.before}`}
      ${status === undefined ? sql`` : sql`AND status = ${status}`}
      ${method === undefined ? sql`` : sql`AND method = ${method}`}
      ${key_id === undefined ? sql`` : sql`AND actor_type = 'key' AND actor_id = ${key_id}`}
      ${request_id === undefined ? sql`` : sql`AND request_id = ${request_id}`}
      ${createdBetween(sql, filter, 'req')}
    ORDER BY account_id, id DESC`
  return readPage(sql, list, page, toFailedRequest)
}

/** A failed request. @throws {DomainError} NOT_FOUND. */
export const getFailedRequest = async (
  sql: Sql,
  caller: Caller,
  id: string,
): Promise<FailedRequest> => {
  const [row] = isId('req', id)
    ? await sql<FailedRequestRow[]>`
        SELECT * FROM failed_requests
        WHERE id = ${id} AND account_id = ${caller.accountId} ${visibleTo(sql, caller)}`
    : []
  if (row === undefined) throw notFound('failed request', id)
  return toFailedRequest(row)
}

/** A key reads no email or IP address of a user: only users see the requests of users. */
const visibleTo = (sql: Sql, { mode, actor }: Caller): Fragment => sql`
  AND mode = ${mode} ${actor.type === 'key' ? sql`AND actor_type = 'key'` : sql``}`

type FailedRequestRow = Omit<FailedRequest, 'actor' | 'created_at'> & {
  actor_type: FailedRequest['actor']['type']
  actor_id: string
  actor_name: string
  created_at: Date
}

const toFailedRequest = (row: FailedRequestRow): FailedRequest => ({
  id: row.id,
  request_id: row.request_id,
  method: row.method,
  route: row.route,
  path: row.path,
  status: row.status,
  error: row.error,
  message: row.message,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  address: row.address,
  duration_ms: row.duration_ms,
  created_at: row.created_at.toISOString(),
})

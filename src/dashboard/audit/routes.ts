import { Elysia, t } from 'elysia'
import { AUDIT_AREAS } from '../../accounts/audit'
import type { Actor } from '../../caller'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { CursorQuery, createdBetweenQuery, invalidCursor } from '../../http/request/paging'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { OneOf } from '../../http/schema'
import { withRole } from '../access/roles'
import { type Cells, toDownload } from '../csv/download'
import { DASHBOARD_API } from '../paths'
import { type AuditEntry, readAllAudit, readAudit } from './store'

const PAGE = 50
const ACTORS: readonly Actor['type'][] = ['user', 'key', 'cli', 'system']

const filter = {
  area: t.Optional(OneOf(AUDIT_AREAS)),
  by: t.Optional(OneOf(ACTORS)),
  text: t.Optional(t.String({ maxLength: 200 })),
  ...createdBetweenQuery,
}

/** The audit history of the account, which covers both modes. */
export const auditRoutes = ({ read, unread }: { read: Read; unread: UnreadLimit }) =>
  new Elysia({ prefix: DASHBOARD_API, normalize: false })
    .use(withCaller)
    .use(withRole)
    .get(
      '/audit',
      async ({ caller, query: { cursor, ...filter } }) => {
        const before = cursor === undefined ? null : checkCursor(cursor)
        const page = { before, limit: PAGE + 1 }
        const found = await read(caller, sql => readAudit(sql, caller.accountId, filter, page))
        const data = found.slice(0, PAGE)
        return { data, next_cursor: found.length > PAGE ? (data.at(-1)?.id ?? null) : null }
      },
      { role: 'viewer', query: t.Object({ ...filter, cursor: t.Optional(CursorQuery) }) },
    )
    .get(
      '/audit.csv',
      ({ caller, query }) => {
        const nextEntries = readAllAudit(read, caller, query)
        return toDownload(caller, unread, {
          name: 'audit-history.csv',
          head: HEAD,
          nextLines: async () => (await nextEntries())?.map(toCells),
        })
      },
      { role: 'viewer', query: t.Object(filter) },
    )

/** @throws {DomainError} VALIDATION_ERROR */
const checkCursor = (cursor: string): string => {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidCursor()
  return cursor
}

const HEAD: Cells = [
  'time',
  'action',
  'subject_id',
  'subject',
  'actor_type',
  'actor_id',
  'actor',
  'address',
  'changes',
]

const toCells = ({ at, action, subject, actor, address, changes }: AuditEntry): Cells => [
  at,
  action,
  subject.id,
  subject.name,
  actor.type,
  actor.id,
  actor.name,
  address,
  JSON.stringify(changes),
]

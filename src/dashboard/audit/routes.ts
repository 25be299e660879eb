import { Elysia, t } from 'elysia'
import { AUDIT_AREAS } from '../../accounts/audit'
import type { Actor } from '../../caller'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import { CursorQuery, createdBetweenQuery, invalidCursor } from '../../http/request/paging'
import { toTextStream } from '../../http/response/text-stream'
import type { UnreadLimit } from '../../http/response/unread-limit'
import { OneOf } from '../../http/schema'
import { withRole } from '../access/roles'
import { DASHBOARD_API } from '../paths'
import { csvLine } from './csv'
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
      async ({ caller, query }) => {
        const next = createCsv(readAllAudit(read, caller, query))
        // Errors are reported before the response begins.
        let first = await next()
        return toTextStream({
          next: async () => {
            const text = first ?? (await next())
            first = undefined
            return text
          },
          headers: {
            'content-type': 'text/csv; charset=utf-8',
            'content-disposition': 'attachment; filename="audit-history.csv"',
          },
          onSend: bytes => unread.add(caller, bytes),
        })
      },
      { role: 'viewer', query: t.Object(filter) },
    )

/** @throws {DomainError} VALIDATION_ERROR */
const checkCursor = (cursor: string): string => {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidCursor()
  return cursor
}

const HEAD = [
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

/** The parts of the file, each made of the next entries; undefined at the end. */
const createCsv = (nextEntries: () => Promise<AuditEntry[] | undefined>) => {
  // Without a byte order mark, Excel does not read the file as UTF-8.
  let head = `\uFEFF${csvLine(HEAD)}`
  return async (): Promise<string | undefined> => {
    const entries = await nextEntries()
    if (entries === undefined) return undefined
    const text = `${head}${entries.map(line).join('')}`
    head = ''
    return text
  }
}

const line = ({ at, action, subject, actor, address, changes }: AuditEntry) =>
  csvLine([
    at,
    action,
    subject.id,
    subject.name,
    actor.type,
    actor.id,
    actor.name,
    address,
    JSON.stringify(changes),
  ])

import type { AuditAction, AuditArea } from '../../accounts/audit'
import type { Actor } from '../../caller'
import type { Sql } from '../../db/connect'
import { contains } from '../../db/contains'
import { type CreatedBetween, timeBetween } from '../../db/created-between'
import type { Read } from '../../http/read'
import type { Reader } from '../../http/response/unread-limit'

/** An entry of the audit history: who changed what, when and from which address. */
export type AuditEntry = {
  id: string
  at: string
  action: AuditAction
  /** What was changed, with its current name; null for a deleted record without one. */
  subject: { id: string; name: string | null; revoked: boolean }
  actor: Pick<Actor, 'type' | 'id' | 'name'>
  /** Null for the command line and for the system. */
  address: string | null
  changes: Record<string, unknown>
}

type AuditFilter = CreatedBetween & {
  area?: AuditArea
  by?: Actor['type']
  /** Words or parts of them in a name or an invited address, as in lists (contract 1.12), or a full id or IP address. */
  text?: string
}

/** Entries of an account, newest first: up to `limit` of those before the entry `before`. */
export const readAudit = async (
  sql: Sql,
  accountId: string,
  filter: AuditFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditEntry[]> => {
  const { area, by, text } = filter
  const rows = await sql<AuditRow[]>`
    SELECT e.id::text, e.at, e.action, e.subject_id, e.actor_type, e.actor_id, e.actor_name, e.address,
      e.changes, ${subjectName(sql)} AS subject_name, k.revoked_at IS NOT NULL AS revoked
    FROM audit_entries e
      LEFT JOIN api_keys k ON k.id = e.subject_id
      LEFT JOIN webhooks w ON w.id = e.subject_id
      LEFT JOIN people p ON p.id = e.subject_id
      LEFT JOIN accounts a ON a.id = e.subject_id
      LEFT JOIN articles t ON t.id = e.subject_id
      LEFT JOIN projects r ON r.id = e.subject_id
    WHERE e.account_id = ${accountId}
      ${before === null ? sql`` : sql`AND e.id < ${before}::text::bigint`}
      ${area === undefined ? sql`` : sql`AND split_part(e.action, '.', 1) = ${area}`}
      ${by === undefined ? sql`` : sql`AND e.actor_type = ${by}`}
      ${
        text === undefined
          ? sql``
          : sql`AND (
              ${text.trim()} IN (e.subject_id, e.actor_id, e.address, e.changes->>'link_id')
              OR ${contains(sql, text, [sql`e.actor_name`, subjectName(sql), sql`e.changes->>'email'`])}
            )`
      }
      ${timeBetween(sql, filter, 'at')}
      ${idsBetween(sql, accountId, filter)}
    ORDER BY e.id DESC LIMIT ${limit}`
  return rows.map(toEntry)
}

/** How far the clock of PostgreSQL may be set back between two entries. */
const CLOCK_TOLERANCE = '5 minutes'

/**
 * The ids of the entries of a time, so that the index of the list finds the oldest page as fast as the newest. Ids are
 * numbers in the order of `at`, but for clocks that were set back.
 */
const idsBetween = (
  sql: Sql,
  accountId: string,
  { created_after, created_before }: CreatedBetween,
) => sql`
  ${
    created_after === undefined
      ? sql``
      : sql`AND e.id > coalesce((
          SELECT id FROM audit_entries
          WHERE account_id = ${accountId}
            AND at < ${created_after}::text::timestamptz - ${CLOCK_TOLERANCE}::text::interval
          ORDER BY at DESC LIMIT 1
        ), 0)`
  }
  ${
    created_before === undefined
      ? sql``
      : sql`AND e.id < coalesce((
          SELECT id FROM audit_entries
          WHERE account_id = ${accountId}
            AND at > ${created_before}::text::timestamptz + ${CLOCK_TOLERANCE}::text::interval
          ORDER BY at LIMIT 1
        ), ${MAX_ID}::text::bigint)`
  }`

const MAX_ID = '9223372036854775807'

/** Entries per query while all are read. */
const BATCH = 500

/**
 * Returns a function that reads the next batch of all matching entries, newest first; undefined after the last one.
 * Between two calls it keeps no entries.
 */
export const readAllAudit = (
  read: Read,
  caller: Reader,
  filter: AuditFilter,
): (() => Promise<AuditEntry[] | undefined>) => {
  let before: string | null = null
  let isDone = false
  return async () => {
    if (isDone) return undefined
    const page = { before, limit: BATCH }
    const entries = await read(caller, sql => readAudit(sql, caller.accountId, filter, page))
    before = entries.at(-1)?.id ?? null
    isDone = entries.length < BATCH
    return entries
  }
}

/**
 * A webhook is named by its description and its host, because its path may contain a token. A deleted article or project
 * has the name that it had.
 */
const subjectName = (sql: Sql) =>
  sql`coalesce(k.name, p.email, a.name, t.title, r.name, e.changes->>'title', e.changes->>'name', e.changes->>'keyword',
    nullif(concat_ws(' · ', nullif(w.description, ''), substring(w.url FROM '//([^/?#]+)')), ''))`

type AuditRow = {
  id: string
  at: Date
  action: AuditAction
  subject_id: string
  subject_name: string | null
  revoked: boolean
  actor_type: Actor['type']
  actor_id: string
  actor_name: string
  address: string | null
  changes: Record<string, unknown>
}

const toEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  action: row.action,
  subject: { id: row.subject_id, name: row.subject_name, revoked: row.revoked },
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  address: row.address,
  changes: row.changes,
})

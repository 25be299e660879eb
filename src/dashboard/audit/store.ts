import type { AuditAction, AuditArea } from '../../accounts/audit'
import type { Actor } from '../../caller'
import type { Sql } from '../../db/connect'
import { type CreatedBetween, timeBetween } from '../../db/created-between'
import type { Read } from '../../http/read'

/** An entry of the audit history: who changed what, when and from which address. */
export type AuditEntry = {
  id: string
  at: string
  action: AuditAction
  /** What was changed, with its current name; null when it is deleted. */
  subject: { id: string; name: string | null; revoked: boolean }
  actor: Pick<Actor, 'type' | 'id' | 'name'>
  /** Null for the command line and for the system. */
  address: string | null
  changes: Record<string, unknown>
}

export type AuditFilter = CreatedBetween & {
  area?: AuditArea
  by?: Actor['type']
  /** Part of a name, or a full id or address. */
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
    WHERE e.account_id = ${accountId}
      ${before === null ? sql`` : sql`AND e.id < ${before}::text::bigint`}
      ${area === undefined ? sql`` : sql`AND split_part(e.action, '.', 1) = ${area}`}
      ${by === undefined ? sql`` : sql`AND e.actor_type = ${by}`}
      ${
        text === undefined
          ? sql``
          : sql`AND (
              ${text} IN (e.subject_id, e.actor_id, e.address)
              OR strpos(lower(e.actor_name), lower(${text})) > 0
              OR strpos(lower(${subjectName(sql)}), lower(${text})) > 0
            )`
      }
      ${timeBetween(sql, filter, 'at')}
    ORDER BY e.id DESC LIMIT ${limit}`
  return rows.map(toEntry)
}

/** Entries per query while all are read. */
const BATCH = 500

/** All matching entries, newest first, in batches. */
export async function* readAllAudit(
  read: Read,
  accountId: string,
  filter: AuditFilter,
): AsyncGenerator<AuditEntry[]> {
  let before: string | null = null
  do {
    const entries = await read({ accountId }, sql =>
      readAudit(sql, accountId, filter, { before, limit: BATCH }),
    )
    yield entries
    before = entries.length < BATCH ? null : (entries.at(-1)?.id ?? null)
  } while (before !== null)
}

/** A webhook is named by its host, because its path may contain a token. */
const subjectName = (sql: Sql) =>
  sql`coalesce(k.name, p.email, a.name, substring(w.url FROM '//([^/?#]+)'))`

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

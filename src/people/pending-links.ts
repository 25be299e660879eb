import { type AuditContext, recordAudit } from '../accounts/audit'
import type { Db, Tx } from '../db/connect'
import { notFoundWithoutMode } from '../errors'
import { isId } from '../ids'
import type { PendingLink } from './schema'

/** Sign-in links that were created and neither used nor expired (contract 3.14). */

/** The pending links of an account, newest first. */
export const listLinks = async (db: Db, accountId: string): Promise<PendingLink[]> =>
  (await db<LinkRow[]>`${selectLinks(db)} AND l.account_id = ${accountId} ORDER BY l.id DESC`).map(
    toLink,
  )

/** Ends a link, and returns it as it was. @throws {DomainError} NOT_FOUND for an unknown, a used and an expired link. */
export const revokeLink = async (tx: Tx, audit: AuditContext, id: string): Promise<PendingLink> => {
  const [row] = isId('lnk', id)
    ? await tx<LinkRow[]>`
        ${selectLinks(tx)} AND l.account_id = ${audit.accountId} AND l.id = ${id} FOR UPDATE OF l`
    : []
  if (row === undefined) throw notFoundWithoutMode('link', id)
  await tx`DELETE FROM sign_in_links WHERE id = ${id}`
  await recordAudit(tx, audit, 'person.link_revoked', row.person_id ?? audit.accountId, {
    ...(row.email !== null && { email: row.email }),
    role: row.role,
    link_id: id,
  })
  return toLink(row)
}

type LinkRow = Omit<PendingLink, 'expires_at' | 'created_at'> & {
  person_id: string | null
  expires_at: Date
  created_at: Date
}

const selectLinks = (db: Db) => db`
  SELECT l.id, l.person_id, coalesce(p.email, l.email) AS email, coalesce(p.role, l.role) AS role, l.purpose,
    l.email_error, l.creator_name AS created_by, l.expires_at, l.created_at
  FROM sign_in_links l LEFT JOIN people p ON p.id = l.person_id
  WHERE l.expires_at > clock_timestamp()`

const toLink = ({ person_id: _, ...row }: LinkRow): PendingLink => ({
  ...row,
  expires_at: row.expires_at.toISOString(),
  created_at: row.created_at.toISOString(),
})

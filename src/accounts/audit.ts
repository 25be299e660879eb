import type { Actor, Caller, Mode } from '../caller'
import type { Db, Tx } from '../db/connect'

/** The account, the actor and the network address of a change. `address` is null for the command line. `mode`: of the changed record. */
export type AuditContext = { accountId: string; mode?: Mode; actor: Actor; address: string | null }

export const auditContextOf = (caller: Caller): AuditContext => ({
  accountId: caller.accountId,
  mode: caller.mode,
  actor: caller.actor,
  address: caller.address,
})

/** The record types of actions: the part before the dot. */
export const AUDIT_AREAS = [
  'api_key',
  'webhook',
  'deliveries',
  'project',
  'keyword',
  'article',
  'generation',
  'account',
  'person',
] as const
export type AuditArea = (typeof AUDIT_AREAS)[number]

export type AuditAction =
  | `api_key.${'created' | 'updated' | 'regenerated' | 'revoked'}`
  | `webhook.${'created' | 'updated' | 'secret_rotated' | 'deleted' | 'paused' | 'resumed' | 'disabled'}`
  | `deliveries.${'paused' | 'resumed' | 'redelivered'}`
  | 'project.deleted'
  | 'keyword.deleted'
  | `article.${'published' | 'unpublished' | 'scheduled' | 'unscheduled' | 'slug_changed' | 'deleted'}`
  | 'generation.retried'
  | `account.${'created' | 'plan_changed' | 'required_sign_in_changed'}`
  | `account.${'encryption_key_changed' | 'encryption_key_replaced'}`
  | `person.${'invited' | 'joined' | 'role_changed' | 'disabled' | 'enabled' | 'password_changed'}`
  | `person.${'link_revoked' | 'password_reset_requested' | 'identity_linked'}`
  | `person.${'passkey_added' | 'passkey_removed' | 'sign_in_reset'}`
  | `person.${'signed_in' | 'signed_out' | 'signed_out_everywhere' | 'session_ended'}`

/** Areas whose records have no mode, and keys, which are named with theirs when they are created by a caller of any mode. */
const AREAS_WITHOUT_MODE: ReadonlySet<string> = new Set([
  'api_key',
  'account',
  'person',
] satisfies AuditArea[])

/**
 * Adds an entry to the append-only audit history, in the transaction of the change (contract 3.11).
 * @param changes the changed members; never a secret.
 */
export const recordAudit = async (
  tx: Tx,
  by: AuditContext,
  action: AuditAction,
  subjectId: string,
  changes: Record<string, unknown> = {},
): Promise<void> => {
  const isTest = by.mode === 'test' && !AREAS_WITHOUT_MODE.has(action.split('.', 1)[0] ?? '')
  await tx`
    INSERT INTO audit_entries ${tx({
      account_id: by.accountId,
      action,
      subject_id: subjectId,
      actor_type: by.actor.type,
      actor_id: by.actor.id,
      actor_name: by.actor.name,
      address: by.address,
      changes: tx.json({ ...(isTest && { mode: 'test' }), ...changes } as never),
    })}`
}

/** The same in every account, about the account, for a change of the whole deployment. */
export const recordInAllAccounts = async (
  db: Db,
  actor: Actor,
  action: AuditAction,
  changes: Record<string, unknown> = {},
): Promise<void> => {
  await db`
    INSERT INTO audit_entries (account_id, action, subject_id, actor_type, actor_id, actor_name, changes)
    SELECT id, ${action}, id, ${actor.type}, ${actor.id}, ${actor.name}, ${db.json(changes as never)}
    FROM accounts`
}

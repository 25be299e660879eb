import { type AuditContext, recordAudit } from '../accounts/audit'
import type { Mode } from '../caller'
import type { Db, Tx } from '../db/connect'
import { type PageRequest, type PageResult, readPage } from '../db/page'
import { conflict, notFound } from '../errors'
import { isId, newId } from '../ids'
import {
  type ApiKey,
  type ApiKeyChanges,
  type ApiKeyWithValue,
  type KeyStatusFilter,
  type NewApiKey,
  RATE_LIMIT_DEFAULT,
} from './schema'
import { keyStatus } from './status'
import { generateValue, hashValue, prefixOfValue } from './value'
import { ALL_MODES, type KeyAccess, type KeyVisibility } from './visibility'

/** API keys. Each change writes its audit entry in the same transaction (contract 3.6, 3.7). */

/**
 * Creates a key and returns it with its value, which no later response contains. A caller cannot give the key more
 * scopes than its own: the call requires `write`, which includes `read`.
 */
export const createKey = async (
  tx: Tx,
  audit: AuditContext,
  input: NewApiKey & { mode: Mode },
): Promise<ApiKeyWithValue> => {
  const { name, scopes, mode, rate_limit = RATE_LIMIT_DEFAULT } = input
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at)
  const id = newId('key')
  const value = generateValue(mode)
  await tx`
    INSERT INTO api_keys ${tx({
      id,
      account_id: audit.accountId,
      name,
      scopes,
      mode,
      hash: hashValue(value),
      prefix: prefixOfValue(value),
      rate_limit,
      expires_at: expiresAt,
    })}`
  await tx`INSERT INTO api_key_windows (key_id) VALUES (${id})`
  await recordAudit(tx, audit, 'api_key.created', id, {
    name,
    scopes,
    mode,
    rate_limit,
    expires_at: expiresAt?.toISOString() ?? null,
  })
  return { ...(await getKey(tx, { accountId: audit.accountId, modes: [mode] }, id)), key: value }
}

/** @throws {DomainError} NOT_FOUND */
export const getKey = async (db: Db, visibility: KeyVisibility, id: string): Promise<ApiKey> =>
  toApiKey(await findKey(db, visibility, id))

/** Newest first. */
export const listKeys = async (
  db: Db,
  visibility: KeyVisibility,
  status: KeyStatusFilter,
  page: PageRequest,
): Promise<PageResult<ApiKey>> => {
  const list = db`
    ${selectKeys(db, visibility)}
    ${status === 'all' ? db`` : db`AND ${keyStatus(db)} = ${status}`}
    ${page.before === null ? db`` : db`AND k.id < ${page.before}`}
    ORDER BY k.id DESC`
  return readPage(db, list, page, toApiKey)
}

/** Gets a key before its change, and rejects that by throwing. */
type Check = (before: ApiKey) => void

/**
 * Changes the name and the rate limit (contract 3.9). Without a difference it writes nothing, no audit entry either.
 * @throws {DomainError} NOT_FOUND; CONFLICT for a revoked key.
 */
export const updateKey = async (
  tx: Tx,
  access: KeyAccess,
  id: string,
  changes: ApiKeyChanges,
  check?: Check,
): Promise<ApiKey> => {
  const before = await lockUnrevoked(tx, access, id, check)
  const { name = before.name, rate_limit = before.rate_limit } = changes
  const changed = {
    ...(name === before.name ? {} : { name: { from: before.name, to: name } }),
    ...(rate_limit === before.rate_limit
      ? {}
      : { rate_limit: { from: before.rate_limit, to: rate_limit } }),
  }
  if (Object.keys(changed).length === 0) return before
  await tx`
    UPDATE api_keys SET name = ${name}, rate_limit = ${rate_limit}, updated_at = clock_timestamp()
    WHERE id = ${id}`
  await recordAudit(tx, access, 'api_key.updated', id, changed)
  return getKey(tx, access, id)
}

/**
 * Replaces the value of a key. The old value stops working with the commit, without a grace period.
 * @throws {DomainError} NOT_FOUND; CONFLICT for a key that is not active: its new value would be refused.
 */
export const regenerateKey = async (
  tx: Tx,
  access: KeyAccess,
  id: string,
): Promise<ApiKeyWithValue> => {
  const before = await lockUnrevoked(tx, access, id)
  if (before.status === 'expired')
    throw conflict(
      `The key ${id} expired at ${before.expires_at}, and a new value would be refused as well. Create a new key.`,
    )
  const value = generateValue(before.mode)
  const prefix = prefixOfValue(value)
  await tx`
    UPDATE api_keys SET hash = ${hashValue(value)}, prefix = ${prefix}, updated_at = clock_timestamp()
    WHERE id = ${id}`
  await recordAudit(tx, access, 'api_key.regenerated', id, {
    prefix: { from: before.prefix, to: prefix },
  })
  return { ...(await getKey(tx, access, id)), key: value }
}

/**
 * Revokes a key permanently, with effect from the commit.
 * @throws {DomainError} NOT_FOUND; CONFLICT when it is already revoked.
 */
export const revokeKey = async (
  tx: Tx,
  access: KeyAccess,
  id: string,
  check?: Check,
): Promise<ApiKey> => {
  await lockUnrevoked(tx, access, id, check)
  await tx`
    UPDATE api_keys SET revoked_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = ${id}`
  await recordAudit(tx, access, 'api_key.revoked', id)
  return getKey(tx, access, id)
}

/** The account of a key, for the command line, which has the key's id only. @throws {DomainError} NOT_FOUND */
export const accountOfKey = async (db: Db, id: string): Promise<string> => {
  const [row] = await db<{ account_id: string }[]>`
    SELECT account_id FROM api_keys WHERE id = ${id}`
  if (row === undefined) throw notFound('API key', id)
  return row.account_id
}

/** The active keys that a user created or regenerated, and those that were with such keys: their value may be known. */
export const keysOfPerson = async (
  db: Db,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<ApiKey[]> => {
  const rows = await db<ApiKeyRow[]>`
    ${selectKeys(db, { accountId, modes: ALL_MODES })}
      AND ${keyStatus(db)} = 'active' AND k.id IN (
        WITH RECURSIVE known (id) AS (
          SELECT ${personId}::text COLLATE "C"
          UNION
          SELECT e.subject_id FROM audit_entries e JOIN known ON e.actor_id = known.id
          WHERE e.account_id = ${accountId} AND e.action IN ('api_key.created', 'api_key.regenerated')
        )
        SELECT id FROM known)
    ORDER BY k.id DESC`
  return rows.map(toApiKey)
}

type ApiKeyRow = {
  id: string
  name: string
  scopes: ApiKey['scopes']
  prefix: string
  mode: Mode
  rate_limit: number
  status: ApiKey['status']
  expires_at: Date | null
  last_used_at: Date | null
  created_at: Date
  updated_at: Date | null
  revoked_at: Date | null
}

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  prefix: row.prefix,
  mode: row.mode,
  test_mode: row.mode === 'test',
  rate_limit: row.rate_limit,
  status: row.status,
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: (row.updated_at ?? row.created_at).toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
})

/** SQL that selects the visible keys; the caller appends further conditions with `AND`. */
const selectKeys = (db: Db, { accountId, modes }: KeyVisibility) => db`
  SELECT k.id, k.name, k.scopes, k.prefix, k.mode, k.rate_limit, ${keyStatus(db)} AS status,
    k.expires_at, w.last_at AS last_used_at, k.created_at, k.updated_at, k.revoked_at
  FROM api_keys k LEFT JOIN api_key_windows w ON w.key_id = k.id
  WHERE k.account_id = ${accountId} AND k.mode = ANY (${modes as Mode[]})`

const findKey = async (
  db: Db,
  visibility: KeyVisibility,
  id: string,
  lock = db``,
): Promise<ApiKeyRow> => {
  const [row] = isId('key', id)
    ? await db<ApiKeyRow[]>`${selectKeys(db, visibility)} AND k.id = ${id} ${lock}`
    : []
  if (row === undefined) throw notFound('API key', id)
  return row
}

/** Locks the key until the transaction ends, so that concurrent changes see each other's result. */
const lockUnrevoked = async (
  tx: Tx,
  visibility: KeyVisibility,
  id: string,
  check: Check = () => {},
): Promise<ApiKey> => {
  const key = toApiKey(await findKey(tx, visibility, id, tx`FOR NO KEY UPDATE OF k`))
  check(key)
  if (key.status === 'revoked')
    throw conflict(
      `The key ${id} was revoked at ${key.revoked_at} and cannot be changed or used again. Create a new key.`,
    )
  return key
}

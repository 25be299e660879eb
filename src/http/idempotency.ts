import { createHash } from 'node:crypto'
import type { Caller } from '../caller'
import type { Db, Sql, Tx } from '../db/connect'
import { DomainError, invalid } from '../errors'

/**
 * `Idempotency-Key` (contract 6.12). The row is inserted first, in the transaction of the change: a
 * concurrent duplicate waits for it and gets its response, and a crash leaves nothing.
 */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
export const REPLAYED_HEADER = 'Idempotent-Replayed'
/** Secret members of a record. They are not stored, so a replayed response lacks them. */
export const SECRET_MEMBERS = ['key', 'secret']
export const IDEMPOTENCY_HOURS = 24
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$'

/** Expired rows deleted with each insert. More than one, so that deletes outpace inserts. */
const EXPIRED_PER_INSERT = 5

export type StoredResponse<T> = { status: number; data: T; replayed: boolean }

/**
 * A POST with an `Idempotency-Key`. `callerId` is the API key or the user; each has its own key space.
 */
type IdempotentRequest = { callerId: string; key: string; fingerprint: Buffer }

/**
 * Reads the `Idempotency-Key` header. Returns undefined without the header, and for methods other than POST.
 * @throws {DomainError} VALIDATION_ERROR when the key is not 1 to 255 visible ASCII characters.
 */
export const readIdempotentRequest = (context: {
  caller: Caller
  request: Request
  path: string
  body: unknown
}): IdempotentRequest | undefined => {
  const { caller, request, path, body } = context
  const key = request.headers.get(IDEMPOTENCY_HEADER)
  if (key === null || request.method !== 'POST') return undefined
  if (!new RegExp(IDEMPOTENCY_KEY_PATTERN).test(key))
    throw invalid(
      IDEMPOTENCY_HEADER,
      'must be 1 to 255 visible ASCII characters without spaces, for example a UUID.',
    )
  const fingerprint = createHash('sha256')
    // The mode is part of it because a dashboard user can send the same request in both modes.
    .update(`${request.method} ${caller.mode} ${path}\n${canonicalJson(body ?? {})}`)
    .digest()
  return { callerId: caller.actor.id, key, fingerprint }
}

/**
 * The stored response of the first request, if it is committed and not expired.
 * @throws {DomainError} IDEMPOTENCY_KEY_REUSED when the key belongs to another request.
 */
export const findStoredResponse = async <T>(
  sql: Sql,
  request: IdempotentRequest,
): Promise<StoredResponse<T> | undefined> => {
  const [row] = await sql<
    StoredRow[]
  >`${selectStored(sql, request)} AND created_at > ${expiredBefore(sql)}`
  return row && toStoredResponse(row, request)
}

/**
 * Runs `fn` and stores its response in the same transaction, or returns the response that a concurrent
 * duplicate stored.
 * @throws {DomainError} IDEMPOTENCY_KEY_REUSED. Errors of `fn` pass through, and nothing is stored.
 */
export const runIdempotent = async <T>(
  tx: Tx,
  request: IdempotentRequest,
  status: number,
  fn: () => Promise<T>,
): Promise<StoredResponse<T>> => {
  if (!(await claim(tx, request))) {
    // A separate statement: the INSERT that waited for the duplicate does not see its row.
    const [row] = await tx<[StoredRow]>`${selectStored(tx, request)}`
    return toStoredResponse(row, request)
  }
  const data = await fn()
  const stored = JSON.stringify(withoutSecrets(data))
  await tx`
    UPDATE idempotent_requests SET status = ${status}, data = ${stored}
    WHERE key_id = ${request.callerId} AND idempotency_key = ${request.key}`
  return { status, data, replayed: false }
}

/** Whether this is the first request with its key in 24 hours. Waits for a concurrent duplicate. */
const claim = async (
  tx: Tx,
  { callerId, key, fingerprint }: IdempotentRequest,
): Promise<boolean> => {
  // Two statements in one round trip. SKIP LOCKED never waits, so the DELETE cannot deadlock.
  const [claimed] = await Promise.all([
    tx`
      INSERT INTO idempotent_requests AS existing (key_id, idempotency_key, fingerprint)
      VALUES (${callerId}, ${key}, ${fingerprint})
      ON CONFLICT (key_id, idempotency_key) DO UPDATE
        SET fingerprint = excluded.fingerprint, status = NULL, data = NULL,
          created_at = excluded.created_at
        WHERE existing.created_at <= ${expiredBefore(tx)}
      RETURNING true`,
    tx`
      DELETE FROM idempotent_requests WHERE (key_id, idempotency_key) IN (
        SELECT key_id, idempotency_key FROM idempotent_requests WHERE created_at <= ${expiredBefore(tx)}
        ORDER BY created_at LIMIT ${EXPIRED_PER_INSERT} FOR UPDATE SKIP LOCKED
      )`,
  ])
  return claimed.length > 0
}

type StoredRow = { fingerprint: Buffer; status: number; data: string }

const selectStored = (db: Db, { callerId, key }: IdempotentRequest) => db`
  SELECT fingerprint, status, data FROM idempotent_requests
  WHERE key_id = ${callerId} AND idempotency_key = ${key}`

const toStoredResponse = <T>(
  { fingerprint, status, data }: StoredRow,
  request: IdempotentRequest,
): StoredResponse<T> => {
  if (!request.fingerprint.equals(fingerprint))
    throw new DomainError(
      'IDEMPOTENCY_KEY_REUSED',
      `This ${IDEMPOTENCY_HEADER} was used for another request in the last ${IDEMPOTENCY_HOURS} hours: another path or body. Use a new one for a new request.`,
    )
  return { status, data: JSON.parse(data), replayed: true }
}

/** `now()` instead of `clock_timestamp()`: only a stable function can use the index. */
const expiredBefore = (db: Db) => db`now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`

/** The same text for equal JSON values, whatever the order of their members. */
const canonicalJson = (body: unknown): string =>
  JSON.stringify(body, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

/** Whether a record shows a secret: its response must not be cached (contract 1.9). */
export const hasSecret = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && SECRET_MEMBERS.some(member => member in data)

const withoutSecrets = (data: unknown): unknown =>
  typeof data === 'object' && data !== null
    ? Object.fromEntries(
        Object.entries(data).filter(([member]) => !SECRET_MEMBERS.includes(member)),
      )
    : data

import { createHash } from 'node:crypto'
import type { Caller } from '../caller'
import type { Db, Sql, Tx } from '../db/connect'
import { DomainError, invalid } from '../errors'

/**
 * `Idempotency-Key` (contract 6.12): a POST that is sent again with the same key has happened once. The row is
 * inserted first, in the change's own transaction: a twin that comes meanwhile waits for it and gets its
 * answer, and a crash leaves nothing.
 */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
export const REPLAYED_HEADER = 'Idempotent-Replayed'
/** Members of a record that are in its first answer only: they are not stored, and not replayed. */
export const SECRET_MEMBERS = ['key', 'secret']
export const IDEMPOTENCY_HOURS = 24
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$'

/** Removed with each new row, so that the old ones go faster than new ones come. */
const EXPIRED_PER_INSERT = 5

export type StoredResponse<T> = { status: number; data: T; replayed: boolean }

/** A request that is to happen once: whose, under which key, and what it asks for. */
export type IdempotentRequest = { callerId: string; key: string; fingerprint: Buffer }

/**
 * What the header asks for; undefined without it, and for other methods than POST.
 * @throws {DomainError} VALIDATION_ERROR for a key that is not 1 to 255 visible ASCII characters.
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
      'must be 1 to 255 visible ASCII characters, without spaces. A UUID is a good one.',
    )
  const fingerprint = createHash('sha256')
    // A person may ask for the same in both modes.
    .update(`${request.method} ${caller.mode} ${path}\n${canonicalJson(body ?? {})}`)
    .digest()
  return { callerId: caller.actor.id, key, fingerprint }
}

/**
 * The answer of the request that came first, if it is committed and not forgotten.
 * @throws {DomainError} IDEMPOTENCY_KEY_REUSED when that was another request.
 */
export const findStoredResponse = async <T>(
  sql: Sql,
  once: IdempotentRequest,
): Promise<StoredResponse<T> | undefined> => {
  const [row] = await sql<Row[]>`${selectStored(sql, once)} AND created_at > ${expiredBefore(sql)}`
  return row && toStoredResponse(row, once)
}

/**
 * Runs `fn` and keeps its answer in the same transaction, or answers what a twin was answered.
 * @throws {DomainError} IDEMPOTENCY_KEY_REUSED; what `fn` throws, and then nothing is kept.
 */
export const runIdempotent = async <T>(
  tx: Tx,
  once: IdempotentRequest,
  status: number,
  fn: () => Promise<T>,
): Promise<StoredResponse<T>> => {
  if (!(await claim(tx, once))) {
    // A later statement: the one that waited for the twin does not see what the twin wrote.
    const [row] = await tx<[Row]>`${selectStored(tx, once)}`
    return toStoredResponse(row, once)
  }
  const data = await fn()
  const kept = JSON.stringify(withoutSecrets(data))
  await tx`
    UPDATE idempotent_requests SET status = ${status}, data = ${kept}
    WHERE key_id = ${once.callerId} AND idempotency_key = ${once.key}`
  return { status, data, replayed: false }
}

/** Whether this transaction is the first with this key in 24 hours. Waits for one that is under way. */
const claim = async (
  tx: Tx,
  { callerId, key, fingerprint }: IdempotentRequest,
): Promise<boolean> => {
  // Two statements in one round trip. What is removed is never waited for: no deadlock can come of it.
  const [claimed] = await Promise.all([
    tx`
      INSERT INTO idempotent_requests AS kept (key_id, idempotency_key, fingerprint)
      VALUES (${callerId}, ${key}, ${fingerprint})
      ON CONFLICT (key_id, idempotency_key) DO UPDATE
        SET fingerprint = excluded.fingerprint, status = NULL, data = NULL,
          created_at = excluded.created_at
        WHERE kept.created_at <= ${expiredBefore(tx)}
      RETURNING true`,
    tx`
      DELETE FROM idempotent_requests WHERE (key_id, idempotency_key) IN (
        SELECT key_id, idempotency_key FROM idempotent_requests WHERE created_at <= ${expiredBefore(tx)}
        ORDER BY created_at LIMIT ${EXPIRED_PER_INSERT} FOR UPDATE SKIP LOCKED
      )`,
  ])
  return claimed.length > 0
}

type Row = { fingerprint: Buffer; status: number; data: string }

const selectStored = (db: Db, { callerId, key }: IdempotentRequest) => db`
  SELECT fingerprint, status, data FROM idempotent_requests
  WHERE key_id = ${callerId} AND idempotency_key = ${key}`

const toStoredResponse = <T>(
  { fingerprint, status, data }: Row,
  once: IdempotentRequest,
): StoredResponse<T> => {
  if (!once.fingerprint.equals(fingerprint))
    throw new DomainError(
      'IDEMPOTENCY_KEY_REUSED',
      `This ${IDEMPOTENCY_HEADER} was used for another request in the last ${IDEMPOTENCY_HOURS} hours: another path or body. Use a new one for a new request.`,
    )
  return { status, data: JSON.parse(data), replayed: true }
}

/** `now()` and not `clock_timestamp()`, which no index is searched for. */
const expiredBefore = (db: Db) => db`now() - make_interval(hours => ${IDEMPOTENCY_HOURS})`

/** The same text for the same JSON value, in whatever order its members came. */
const canonicalJson = (body: unknown): string =>
  JSON.stringify(body, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )

const withoutSecrets = (data: unknown): unknown =>
  typeof data === 'object' && data !== null
    ? Object.fromEntries(
        Object.entries(data).filter(([member]) => !SECRET_MEMBERS.includes(member)),
      )
    : data

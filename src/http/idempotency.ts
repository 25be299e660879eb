import { createHash } from 'node:crypto'
import type { Caller } from '../caller'
import type { Db, Fragment, Sql, Tx } from '../db/connect'
import { DomainError, invalid } from '../errors'

/**
 * `Idempotency-Key` (contract 6.12). The row is inserted before the change, in its transaction: a
 * concurrent duplicate waits for it and gets its response, and a crash leaves both or neither.
 */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
export const REPLAYED_HEADER = 'Idempotent-Replayed'
/** Secret members of a record. They are not stored, so a replayed response lacks them. */
export const SECRET_MEMBERS = ['key', 'secret', 'standard_webhooks_secret']
export const IDEMPOTENCY_HOURS = 24
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$'

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

/** A request whose key a change claims, and the status of its response. */
export type Claim = { request: IdempotentRequest; status: number }

/** A claim for the record `about`, with the data of the response. */
type RecordClaim = Claim & { about: string; data: unknown }

/**
 * Common table expressions for a statement that makes changes by itself: `claimed (about)` has those of `claims` whose
 * key is free, and their responses are stored. Only records that the SQL `accepted` selects claim a key, so that only
 * success is stored. Waits for concurrent duplicates, in the order of the keys.
 */
export const claimInserts = (db: Db, claims: RecordClaim[], accepted: Fragment): Fragment => db`
  claim AS MATERIALIZED (
    SELECT * FROM unnest(
      ${claims.map(({ about }) => about)}::text[],
      ${claims.map(({ request }) => request.callerId)}::text[],
      ${claims.map(({ request }) => request.key)}::text[],
      ${claims.map(({ request }) => request.fingerprint.toString('hex'))}::text[],
      ${claims.map(({ status }) => status)}::int[],
      ${claims.map(({ data }) => toStoredData(data))}::text[]
    ) AS one (about, key_id, idempotency_key, fingerprint, status, data)
    WHERE about IN (${accepted})
  ),
  claimed_key AS (
    INSERT INTO idempotent_requests AS existing (key_id, idempotency_key, fingerprint, status, data)
    SELECT key_id, idempotency_key, decode(fingerprint, 'hex'), status, data FROM claim
    ORDER BY key_id, idempotency_key
    ${replaceExpired(db)}
    RETURNING key_id, idempotency_key
  ),
  claimed AS (SELECT about FROM claim JOIN claimed_key USING (key_id, idempotency_key))`

/** `storing` must be awaited after the commit, which is sent with it: where it fails, nothing is committed. */
export type IdempotentResult<T> = { response: StoredResponse<T>; storing?: Promise<unknown> }

/**
 * Runs `fn` and stores its response in the same transaction if `claimKey` claimed the key, else returns the stored
 * response.
 * @throws {DomainError} IDEMPOTENCY_KEY_REUSED. Errors of `fn` pass through, and nothing is stored.
 */
export const runIdempotent = async <T>(
  tx: Tx,
  { request, status }: Claim,
  isClaimed: boolean,
  fn: () => Promise<T>,
): Promise<IdempotentResult<T>> => {
  if (!isClaimed) {
    // A separate statement: the INSERT that waited for the duplicate does not see its row.
    const [row] = await tx<[StoredRow]>`${selectStored(tx, request)}`
    return { response: toStoredResponse(row, request) }
  }
  const data = await fn()
  const storing = tx`
    UPDATE idempotent_requests SET status = ${status}, data = ${toStoredData(data)}
    WHERE key_id = ${request.callerId} AND idempotency_key = ${request.key}`.execute()
  return { response: { status, data, replayed: false }, storing }
}

/** Whether this is the first request with its key in 24 hours. Waits for a concurrent duplicate. */
export const claimKey = async (
  tx: Tx,
  { request: { callerId, key, fingerprint } }: Claim,
): Promise<boolean> => {
  const claimed = await tx`
    INSERT INTO idempotent_requests AS existing (key_id, idempotency_key, fingerprint)
    VALUES (${callerId}, ${key}, ${fingerprint})
    ${replaceExpired(tx)}
    RETURNING true`
  return claimed.length > 0
}

const replaceExpired = (db: Db) => db`
  ON CONFLICT (key_id, idempotency_key) DO UPDATE
    SET fingerprint = excluded.fingerprint, status = excluded.status, data = excluded.data,
      created_at = excluded.created_at
    WHERE existing.created_at <= ${expiredBefore(db)}`

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

/** The record without its secret members, in JSON. */
const toStoredData = (data: unknown): string =>
  JSON.stringify(
    hasSecret(data)
      ? Object.fromEntries(
          Object.entries(data as object).filter(([member]) => !SECRET_MEMBERS.includes(member)),
        )
      : data,
  )

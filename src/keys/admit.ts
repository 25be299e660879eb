import type { Mode, Scope } from '../caller'
import { createBatcher } from '../db/batcher'
import { type Sql, withTimeout } from '../db/connect'
import { type Admission, type Admit, RATE_LIMIT_WINDOW_S } from '../http/request/admission'
import { hashValue, modeOfValue } from './value'

/**
 * Round trips in flight at a time. The second is sent only with as many requests as the first one took, or when the
 * first takes longer than `GATHER_MS`, because another process has locked one of its keys. A round trip costs
 * PostgreSQL 0.18 ms of CPU, for one request as for 30.
 */
const ROUND_TRIPS = 2
const GATHER_MS = 5
/** A request waits no longer than this for PostgreSQL, in ms; then the caller gets a 503. */
const TIMEOUT_MS = 5_000

/**
 * Looks keys up (contract 3.1) and counts their requests in the exact sliding window (contract 3.8), which all
 * processes share through PostgreSQL. Requests that arrive together share a round trip. A request joins only a
 * round trip that is not yet sent, so it is judged by what is committed when it arrives: nothing is cached between
 * requests.
 */
export const createAdmit = (sql: Sql): Admit => {
  const admit = createBatcher((hashes: string[]) => admitAll(sql, hashes), {
    maxCalls: ROUND_TRIPS,
    gatherMs: GATHER_MS,
    enough: 'as-last-call',
    rerunAlone: false,
  })
  return value =>
    modeOfValue(value) === undefined
      ? Promise.resolve({ outcome: 'malformed' })
      : admit(hashValue(value).toString('hex'), TIMEOUT_MS)
}

/** A row of `admit()`: one for each known key of the round trip. */
type AdmittedKey = {
  index: number
  key_id: string
  key_name: string
  account_id: string
  mode: Mode
  scopes: Scope[]
  status: 'active' | 'revoked' | 'expired'
  rate_limit: number
  accepted: number
  free: number
  free_in: number
}

/** One statement for all requests: it counts those of each key, and accepts the first of them. */
const admitAll = async (sql: Sql, hashes: string[]): Promise<Admission[]> => {
  const requests = new Map<string, number>()
  const positions = hashes.map(hash => {
    const position = requests.get(hash) ?? 0
    requests.set(hash, position + 1)
    return position
  })
  const keys = [...requests.keys()]
  const counts = [...requests.values()]
  // A round trip without a response from PostgreSQL must not block those behind it.
  const rows = await withTimeout(
    sql<AdmittedKey[]>`
      SELECT index, key_id, key_name, account_id, mode, scopes, status, rate_limit, accepted, free, free_in
      FROM admit(${keys}::text[], ${counts}::int[], make_interval(secs => ${RATE_LIMIT_WINDOW_S}))`,
    TIMEOUT_MS,
  )
  const found = new Map(rows.map(row => [keys[row.index - 1], row]))
  return hashes.map((hash, index) => {
    const row = found.get(hash)
    return row === undefined ? { outcome: 'unknown' } : admissionOf(row, positions[index] ?? 0)
  })
}

/** What `row` means for the request at `position` among those with its key in this round trip. */
const admissionOf = (row: AdmittedKey, position: number): Admission => {
  if (row.status !== 'active') return { outcome: row.status }
  const accepted = position < row.accepted
  return {
    outcome: accepted ? 'accepted' : 'limited',
    caller: {
      accountId: row.account_id,
      mode: row.mode,
      actor: { type: 'key', id: row.key_id, name: row.key_name },
      scopes: row.scopes,
    },
    allowance: {
      limit: row.rate_limit,
      left: accepted ? row.free - position - 1 : 0,
      resetSeconds: row.free_in,
    },
  }
}

import type { Mode, Scope } from '../caller'
import { type Sql, withTimeout } from '../db/connect'
import type { Admission, Admit } from '../http/request/authenticate'
import { hashValue, modeOfValue } from './value'

/** What waits for one key: the round trip counts them, and the first ones are accepted. */
type Waiting = { resolve: (admission: Admission) => void; reject: (error: unknown) => void }[]

/**
 * Round trips on their way at a time. The second goes out only with as many requests as the first one took: the
 * more share a round trip, the less each costs (0.18 ms of CPU in Postgres, for one or for 30). Or when the
 * first takes longer than `PATIENCE_MS`, because it waits for a key that another process holds.
 */
const ROUND_TRIPS = 2
const PATIENCE_MS = 5

/**
 * The lookup of keys and the exact sliding window (contract 3), shared by all processes through
 * Postgres. Requests that arrive together share one round trip and a request joins only one that is not
 * yet sent, so each is judged by what is committed when it arrives: nothing is remembered in between.
 */
export const createAdmit = (sql: Sql, roundTrips = ROUND_TRIPS): Admit => {
  let gathering = new Map<string, Waiting>()
  let scheduled = false
  let gathered = 0
  let underWay = 0
  /** For the next one to go out beside those under way. */
  let enough = 1

  const schedule = () => {
    if (scheduled || gathered === 0 || underWay >= roundTrips) return
    if (underWay > 0 && gathered < enough) return
    scheduled = true
    setImmediate(send)
  }

  const send = async () => {
    const asked = gathering
    enough = gathered
    gathering = new Map()
    gathered = 0
    scheduled = false
    underWay++
    const patience = setTimeout(() => {
      enough = 1
      schedule()
    }, PATIENCE_MS)
    try {
      await withTimeout(ask(sql, asked))
    } catch (error) {
      for (const waiting of asked.values()) for (const { reject } of waiting) reject(error)
    } finally {
      clearTimeout(patience)
      underWay--
      schedule()
    }
  }

  return value => {
    if (modeOfValue(value) === undefined) return Promise.resolve({ outcome: 'malformed' })
    const hash = hashValue(value).toString('hex')
    return new Promise((resolve, reject) => {
      gathered++
      const waiting = gathering.get(hash)
      if (waiting) waiting.push({ resolve, reject })
      else gathering.set(hash, [{ resolve, reject }])
      schedule()
    })
  }
}

type Row = {
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

const ask = async (sql: Sql, asked: ReadonlyMap<string, Waiting>): Promise<void> => {
  const counts = [...asked.values()].map(waiting => waiting.length)
  const rows = await sql<Row[]>`SELECT * FROM admit(${[...asked.keys()]}::text[], ${counts}::int[])`
  const found = new Map(rows.map(row => [row.index, row]))
  let index = 0
  for (const waiting of asked.values()) {
    const row = found.get(++index)
    waiting.forEach(({ resolve }, place) => {
      resolve(row === undefined ? { outcome: 'unknown' } : admission(row, place))
    })
  }
}

/** What `row` means for the request at `place` among those that waited for its key. */
const admission = (row: Row, place: number): Admission => {
  if (row.status !== 'active') return { outcome: row.status }
  const accepted = place < row.accepted
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
      left: accepted ? row.free - place - 1 : 0,
      resetSeconds: row.free_in,
    },
  }
}

/**
 * Tells who looks at records that they have changed: the streams of the dashboard. As for the dispatchers
 * (wake.ts), by a NOTIFY of its own after the commit, never in the transaction. A lost hint is no harm.
 */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'

const CHANNEL = 'arden_changed'
/** At most one NOTIFY in this time, in ms, for all the changes of that time. */
const INTERVAL_MS = 100
/** Tenants in one NOTIFY, which takes 8,000 bytes; of more, all who look are told to look again. */
const TENANTS_MAX = 40

/** What kinds of records changed, such as `deliveries`, by the names of the API's collections. */
export type Changed = (tenant: Tenant, ...kinds: string[]) => void

/** `kinds` of everyone's records: `['*']` where it is not known which. */
export type Heard = { tenant: Tenant | undefined; kinds: string[] }

/** `notify` is that of a connection which waits for no query. What it answers fails never. */
export const createHints = (
  notify: (channel: string, payload: string) => Promise<unknown>,
): Changed => {
  let changes = new Map<string, Set<string>>()
  let waiting = false
  const send = () => {
    waiting = false
    const payload =
      changes.size > TENANTS_MAX ? [] : [...changes].map(([key, kinds]) => [key, ...kinds])
    changes = new Map()
    notify(CHANNEL, JSON.stringify(payload)).catch(() => {})
  }
  return ({ accountId, mode }, ...kinds) => {
    const key = `${accountId} ${mode}`
    const known = changes.get(key) ?? new Set()
    changes.set(key, known)
    for (const kind of kinds) known.add(kind)
    if (waiting) return
    waiting = true
    setTimeout(send, INTERVAL_MS).unref()
  }
}

/** Calls `heard` for each change, and for everything when listening begins (again): some may be missed. */
export const listenForHints = async (sql: Sql, heard: (hint: Heard) => void): Promise<void> => {
  const everything = () => heard({ tenant: undefined, kinds: ['*'] })
  await sql.listen(
    CHANNEL,
    payload => {
      const changes: string[][] = JSON.parse(payload)
      if (changes.length === 0) everything()
      for (const [key = '', ...kinds] of changes) {
        const [accountId = '', mode] = key.split(' ')
        heard({ tenant: { accountId, mode: mode === 'test' ? 'test' : 'live' }, kinds })
      }
    },
    everything,
  )
}

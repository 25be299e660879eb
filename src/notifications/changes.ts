/**
 * Change notifications: which topics of a tenant have changed, for event streams and open dashboards. Sent by
 * a NOTIFY of its own after the commit, as wake-ups are (wake.ts), never in the transaction. They are a hint:
 * one that is lost delays an update and loses nothing.
 */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import type { ChangedTopic, Topic } from './topics'

const CHANNEL = 'arden_changed'
/** At most one NOTIFY in this time, in ms, for all the changes of that time. */
const INTERVAL_MS = 100
/** Tenants in one NOTIFY, which takes 8,000 bytes. With more, every listener is notified of every topic. */
const TENANTS_MAX = 40

/** Notifies listeners that these topics of a tenant have changed. Returns at once and never fails. */
export type PublishChange = (tenant: Tenant, ...topics: Topic[]) => void

/** `tenant` is undefined, and `topics` is `['*']`, when notifications may have been missed. */
export type ChangeNotification = { tenant: Tenant | undefined; topics: ChangedTopic[] }

/** `notify` belongs to a connection that runs no queries. Its failures are ignored. */
export const createPublishChange = (
  notify: (channel: string, payload: string) => Promise<unknown>,
): PublishChange => {
  let changes = new Map<string, Set<Topic>>()
  let isScheduled = false
  const send = () => {
    isScheduled = false
    const payload =
      changes.size > TENANTS_MAX ? [] : [...changes].map(([key, topics]) => [key, ...topics])
    changes = new Map()
    notify(CHANNEL, JSON.stringify(payload)).catch(() => {})
  }
  return ({ accountId, mode }, ...topics) => {
    const key = `${accountId} ${mode}`
    const changed = changes.get(key) ?? new Set()
    changes.set(key, changed)
    for (const topic of topics) changed.add(topic)
    if (isScheduled) return
    isScheduled = true
    setTimeout(send, INTERVAL_MS).unref()
  }
}

/**
 * Calls `onChange` for each notification, and with every topic whenever listening begins or resumes, because
 * notifications may have been missed.
 */
export const listenForChanges = async (
  sql: Sql,
  onChange: (notification: ChangeNotification) => void,
): Promise<void> => {
  const onEverything = () => onChange({ tenant: undefined, topics: ['*'] })
  await sql.listen(
    CHANNEL,
    payload => {
      const changes: [key: string, ...topics: Topic[]][] = JSON.parse(payload)
      if (changes.length === 0) onEverything()
      for (const [key, ...topics] of changes) {
        const [accountId = '', mode] = key.split(' ')
        onChange({ tenant: { accountId, mode: mode === 'test' ? 'test' : 'live' }, topics })
      }
    },
    onEverything,
  )
}

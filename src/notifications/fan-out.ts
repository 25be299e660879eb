/** Passes change notifications to the streams of this process: one LISTEN serves them all. */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import { listenForChanges } from './changes'
import { ACCOUNT_TOPICS, type ChangedTopic } from './topics'

/**
 * Calls `onChange` with the topics of the tenant that changed, and with those of its account that changed in the other
 * mode, until the returned function is called.
 */
export type Subscribe = (
  tenant: Tenant,
  onChange: (topics: readonly ChangedTopic[]) => void,
) => () => void

type Subscriber = { tenant: Tenant; onChange: Parameters<Subscribe>[1] }

/**
 * Starts to listen with the first subscriber. Where the database refuses LISTEN, subscribers are never
 * notified and rely on reading again at intervals.
 */
export const createFanOut = (sql: Sql): Subscribe => {
  const subscribers = new Set<Subscriber>()
  let isListening = false
  const listen = () => {
    isListening = true
    listenForChanges(sql, ({ tenant, topics }) => {
      for (const subscriber of subscribers) {
        const seen = topicsFor(subscriber.tenant, tenant, topics)
        if (seen.length > 0) subscriber.onChange(seen)
      }
    }).catch(() => {
      isListening = false
    })
  }
  return (tenant, onChange) => {
    const subscriber = { tenant, onChange }
    subscribers.add(subscriber)
    if (!isListening) listen()
    return () => subscribers.delete(subscriber)
  }
}

/** Runs for every subscriber at every change: most are of another account. */
const topicsFor = (
  subscriber: Tenant,
  changed: Tenant | undefined,
  topics: readonly ChangedTopic[],
): readonly ChangedTopic[] => {
  if (changed === undefined) return topics
  if (changed.accountId !== subscriber.accountId) return []
  if (changed.mode === subscriber.mode) return topics
  return topics.filter(topic => ACCOUNT_TOPICS.some(one => one === topic))
}

/**
 * Who of this process looks at records, told of their changes by one LISTEN for all: the streams of the
 * dashboard and those of the API.
 */
import type { Tenant } from '../caller'
import type { Sql } from '../db/connect'
import { listenForHints } from './changes'

/** Calls `heard` with the kinds of the tenant's records that changed, `*` for all, until the answer is called. */
export type Subscribe = (tenant: Tenant, heard: (kinds: string[]) => void) => () => void

type Subscriber = { tenant: Tenant; heard: (kinds: string[]) => void }

/** Listening begins with the first who looks. Where it is refused, nobody is told: all look by themselves too. */
export const createFanOut = (sql: Sql): Subscribe => {
  const subscribers = new Set<Subscriber>()
  let isListening = false
  const listen = () => {
    isListening = true
    listenForHints(sql, ({ tenant, kinds }) => {
      for (const one of subscribers)
        if (tenant === undefined || isSame(tenant, one.tenant)) one.heard(kinds)
    }).catch(() => {
      isListening = false
    })
  }
  return (tenant, heard) => {
    const one = { tenant, heard }
    subscribers.add(one)
    if (!isListening) listen()
    return () => subscribers.delete(one)
  }
}

const isSame = (a: Tenant, b: Tenant) => a.accountId === b.accountId && a.mode === b.mode

import { useSyncExternalStore } from 'react'

/** Whether the server responds: every request that gets no response of Arden starts a check. */
export type Connection = 'online' | 'offline' | 'unreachable'

/** Delay between checks while the server does not respond, in ms. */
const CHECK_MS = 3_000
/** A check without a response after this time, in ms, counts as failed. */
const CHECK_TIMEOUT_MS = 10_000

let isReachable = true
let checking: Promise<boolean> | undefined
let next: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** A proxy in front of Arden responds without this header when Arden does not respond. */
export const isFromArden = ({ status, headers }: Response): boolean =>
  status < 500 || headers.has('x-request-id')

/** Checks now, and again until the server responds. Returns whether it does. */
export const checkConnection = (): Promise<boolean> => {
  checking ??= check().finally(() => {
    checking = undefined
  })
  return checking
}

const check = async () => {
  clearTimeout(next)
  const response = await fetch('/dashboard/api/me', {
    cache: 'no-store',
    signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
  }).catch(() => undefined)
  const responds = response !== undefined && isFromArden(response)
  if (!responds) next = setTimeout(checkConnection, CHECK_MS)
  if (responds !== isReachable) {
    isReachable = responds
    for (const listener of listeners) listener()
  }
  return responds
}

/** Calls `listener` whenever the server responds again. Returns how to stop that. */
export const onReconnect = (listener: () => void): (() => void) =>
  subscribe(() => {
    if (isReachable) listener()
  })

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

// Only a failed request decides: a browser without a network still reaches a server on its own machine.
const readConnection = (): Connection =>
  isReachable ? 'online' : navigator.onLine ? 'unreachable' : 'offline'

export const useConnection = (): Connection => useSyncExternalStore(subscribe, readConnection)

addEventListener('online', checkConnection)
addEventListener('offline', checkConnection)

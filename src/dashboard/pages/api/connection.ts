import { useSyncExternalStore } from 'react'

/**
 * Whether the server responds, and has its database: every request that gets no response of Arden, or a 503, starts a
 * check.
 */
export type Connection = 'online' | 'offline' | 'unreachable' | 'unavailable'

/** Delay between checks while one fails, in ms. */
const CHECK_MS = 3_000
/** A check without a response after this time, in ms, counts as failed. */
const CHECK_TIMEOUT_MS = 10_000

let state: 'available' | 'unavailable' | 'unreachable' = 'available'
let checking: Promise<boolean> | undefined
let next: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** A proxy in front of Arden responds without this header when Arden does not respond. */
const isFromArden = ({ status, headers }: Response): boolean =>
  status < 500 || headers.has('x-request-id')

/** Arden responds with it while its database is unavailable. */
const UNAVAILABLE = 503

/** Whether a response is a reason for a check. */
export const isSuspect = (response: Response): boolean =>
  response.status === UNAVAILABLE || !isFromArden(response)

/** Checks now, and again until the server responds and has its database. Returns whether it responds. */
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
  const found = !responds
    ? 'unreachable'
    : response.status === UNAVAILABLE
      ? 'unavailable'
      : 'available'
  if (found !== 'available') next = setTimeout(checkConnection, CHECK_MS)
  if (found !== state) {
    state = found
    for (const listener of listeners) listener()
  }
  return responds
}

/** Calls `listener` whenever the server responds again, or has its database again. Returns how to stop that. */
export const onReconnect = (listener: () => void): (() => void) =>
  subscribe(() => {
    if (state === 'available') listener()
  })

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

// Only a failed request decides: a browser without a network still reaches a server on its own machine.
const readConnection = (): Connection => {
  if (state === 'available') return 'online'
  return state === 'unreachable' && !navigator.onLine ? 'offline' : state
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, readConnection)

addEventListener('online', checkConnection)
addEventListener('offline', checkConnection)

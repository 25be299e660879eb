import { checkHistory } from './check/check'
import type { Disturbance, History } from './check/history'
import { type Load, runLoad } from './load'
import { startObserver, waitForFinalDeliveries } from './observe'
import type { Receivers } from './receivers'
import { subscribe } from './subscribe'

type Options = Omit<Parameters<typeof runLoad>[1], 'events' | 'signal'> & {
  receivers: Receivers
  /** Without a number, the load goes on until it is stopped. */
  events?: number
  failover?: History['failover']
}

export type CheckedLoad = Awaited<ReturnType<typeof startCheckedLoad>>

/**
 * Subscribes the receivers, changes articles through the API, and reads it meanwhile. Callers that disturb the parts add
 * to `disturbances`. `ended` resolves when the load has ended: after its events, or after `stop`.
 */
export const startCheckedLoad = async (options: Options) => {
  const { url, key, receivers, events = Number.POSITIVE_INFINITY, failover } = options
  const webhooks = await subscribe(url, key, receivers.endpoints)
  const observer = await startObserver({ url, key })
  const load: Load = { expected: [], changes: 0, uncertain: 0, refusals: [], wrong: [] }
  const disturbances: Disturbance[] = []
  const stopping = new AbortController()
  const ended = runLoad(load, { ...options, events, signal: stopping.signal })
  const stop = () => stopping.abort()
  /** Stops the load, waits until no delivery is open, and checks what receivers and readers saw against the contract. */
  const finish = async (log: (line: string) => void) => {
    stop()
    await ended
    await waitForFinalDeliveries({ url, key }, log)
    const history = {
      ...(await observer.finish()),
      expected: load.expected,
      responses: load.changes + load.uncertain,
      wrongResponses: load.wrong,
      webhooks,
      arrivals: receivers.arrivals,
      disturbances,
      failover,
    }
    return { history, verdicts: await checkHistory(history) }
  }
  return { load, disturbances, ended, stop, finish }
}

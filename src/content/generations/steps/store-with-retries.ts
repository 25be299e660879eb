import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../../db/connect'
import { STORE_TIMEOUT_MS } from '../retry-schedule'

/** The delay between attempts to store, and the time after which they end, in ms. One attempt can take seconds. */
const DELAY_MS = 1_000
const TIMEOUT_MS = STORE_TIMEOUT_MS * 0.8

/** Retries `store`, which is idempotent, because without its result the provider would be paid again. */
export const storeWithRetries = async <T>(store: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    try {
      return await withTimeout(store())
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(DELAY_MS)
    }
  }
}

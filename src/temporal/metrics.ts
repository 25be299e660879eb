import { httpGet } from '../local/http-get'
import { findFreePort } from '../local/ports'
import type { Log } from '../log'
import { installTemporalRuntime } from './runtime'

/** Another program can take the free port before the SDK listens on it. */
const MAX_TRIES = 5
/** Time-out of reading the metrics, in ms: the SDK runs in this process. */
const READ_TIMEOUT_MS = 1_000

/**
 * Enables the metrics of the Temporal SDK, which exposes them by its own HTTP listener only, here on a free loopback
 * port. Returns a function that reads them in Prometheus text format. Call it once per process, before any other use of
 * the SDK.
 */
export const enableTemporalMetrics = async (log: Log): Promise<() => Promise<string>> => {
  for (let left = MAX_TRIES; ; left--) {
    const address = `127.0.0.1:${await findFreePort()}`
    try {
      installTemporalRuntime(log, address)
      return () => readMetrics(address)
    } catch (error) {
      if (left === 1) throw error
    }
  }
}

/** Empty when reading fails, so that the other metrics are still exposed. */
const readMetrics = (address: string): Promise<string> =>
  httpGet(`http://${address}/metrics`, READ_TIMEOUT_MS).then(
    ({ body }) => body,
    () => '',
  )

import { httpGet } from '../local/http-get'
import { findFreePort } from '../local/ports'
import type { Log } from '../log'
import { installTemporalRuntime } from './runtime'

/** Another program may take a port between our look and the SDK's listening on it. */
const TRIES = 5
/** For the SDK to tell its metrics, in ms: it is in this process. */
const TELL_MS = 1_000

/**
 * Has the Temporal SDK keep metrics, which it tells only by a listener of its own: on a free port that
 * nobody else can reach. Answers what reads them, as Prometheus's text. To be called before anything else
 * of Temporal's, and once in a process; what comes later has no effect, and nothing to tell.
 */
export const enableTemporalMetrics = async (log: Log): Promise<() => Promise<string>> => {
  for (let left = TRIES; ; left--) {
    const address = `127.0.0.1:${await findFreePort()}`
    try {
      installTemporalRuntime(log, address)
      return () => tell(address)
    } catch (error) {
      if (left === 1) throw error
    }
  }
}

/** Nothing while it cannot be read: our own metrics must not be missing for that. */
const tell = (address: string): Promise<string> =>
  httpGet(`http://${address}/metrics`, TELL_MS).then(
    ({ body }) => body,
    () => '',
  )

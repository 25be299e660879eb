import { createLog } from '../../../src/log'
import { noMeter } from '../../../src/metrics/meter'

/** What the rate limit of a provider needs, for a worker that does not stop and logs nothing. */
export const limiterDeps = {
  log: createLog({ logLevel: 'fatal', logFormat: 'json' }),
  meter: noMeter,
  stopping: new AbortController().signal,
}

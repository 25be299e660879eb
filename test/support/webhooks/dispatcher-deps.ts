import { createLog } from '../../../src/log'
import { noMeter } from '../../../src/metrics/meter'
import type { DispatcherDeps } from '../../../src/outbox/dispatcher'
import { isTemporalThere } from '../../../src/temporal/connection'
import { createSearchAttributeRegistration } from '../../../src/temporal/search-attributes'
import type { useSender } from './sender'

/** What a dispatcher needs, to start workflows for the deliveries of `sender`. */
export const dispatcherDeps = (sender: Awaited<ReturnType<typeof useSender>>): DispatcherDeps => {
  const log = createLog({ logLevel: 'fatal', logFormat: 'json' })
  return {
    sql: sender.sql,
    client: sender.temporal.client,
    eagerStarts: sender.temporal.eagerStarts,
    taskQueue: sender.taskQueue,
    publicUrl: 'https://arden.example.com/',
    attributeRegistration: createSearchAttributeRegistration(sender.temporal, log),
    log,
    meter: noMeter,
    listen: sender.waker.listen,
    isTemporalThere: () => isTemporalThere(sender.temporal),
  }
}

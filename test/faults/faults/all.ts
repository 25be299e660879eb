import type { Fault } from '../fault'
import { databaseFaults } from './database'
import { failoverFault } from './failover'
import { networkFaults } from './network'
import { processFaults } from './processes'

export const FAULTS: Fault[] = [
  ...processFaults,
  ...networkFaults,
  ...databaseFaults,
  failoverFault('synchronous'),
  failoverFault('asynchronous'),
]

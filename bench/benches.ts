import { apiAuth } from './api-auth'
import { apiRead } from './api-read'
import { apiWrite } from './api-write'
import type { Bench } from './bench'
import { binary } from './binary'
import { claims } from './claims'
import { deliveries } from './deliveries'
import { drain } from './drain'
import { endToEnd } from './end-to-end'
import { frozenWorker } from './frozen-worker'
import { fullTables } from './full-tables'
import { heldSnapshot } from './held-snapshot'
import { latency } from './latency'
import { manyKeys } from './many-keys'
import { memory } from './memory'
import { retryIsolation } from './retry-isolation'
import { tenantIsolation } from './tenant-isolation'
import { tls } from './tls'

/** In the order of the report. */
export const benches: Bench[] = [
  apiAuth,
  apiRead,
  apiWrite,
  deliveries,
  drain,
  endToEnd,
  latency,
  tls,
  fullTables,
  heldSnapshot,
  tenantIsolation,
  frozenWorker,
  retryIsolation,
  claims,
  manyKeys,
  memory,
  binary,
]

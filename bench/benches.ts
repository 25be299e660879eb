import { apiAuth } from './api-auth'
import { apiRead } from './api-read'
import { apiWrite } from './api-write'
import type { Bench } from './bench'
import { binary } from './binary'
import { claims } from './claims'
import { deliveries } from './deliveries'
import { drain } from './drain'
import { endToEnd } from './end-to-end'
import { fullTables } from './full-tables'
import { latency } from './latency'
import { manyKeys } from './many-keys'
import { memory } from './memory'
import { tenantIsolation } from './tenant-isolation'

/** In the order of the report. */
export const benches: Bench[] = [
  apiAuth,
  apiRead,
  apiWrite,
  deliveries,
  drain,
  endToEnd,
  latency,
  fullTables,
  tenantIsolation,
  claims,
  manyKeys,
  memory,
  binary,
]

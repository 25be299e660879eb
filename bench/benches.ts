import { apiAuth } from './api-auth'
import { apiRead } from './api-read'
import { apiWrite } from './api-write'
import type { Bench } from './bench'
import { deliveries } from './deliveries'
import { drain } from './drain'
import { endToEnd } from './end-to-end'
import { latency } from './latency'

/** In the order of the report. */
export const benches: Bench[] = [apiAuth, apiRead, apiWrite, deliveries, drain, endToEnd, latency]

import { testBenches } from '../support/operations/benches'

testBenches(['deliveries', 'drain', 'end-to-end', 'latency', 'tenant-isolation'])

import { testBenches } from '../support/bench'

testBenches(['deliveries', 'drain', 'end-to-end', 'latency', 'neighbours'])

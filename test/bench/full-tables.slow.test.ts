import { testBenches } from '../support/operations/benches'

testBenches(['full-tables'])

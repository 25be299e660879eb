import { testBenches } from '../support/bench'

testBenches(['full-tables'])

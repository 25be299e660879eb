import { testBenches } from '../support/bench'

testBenches(['api-auth', 'api-read', 'api-write', 'many-keys', 'memory', 'binary'])

import { testBenches } from '../support/operations/benches'

testBenches(['api-auth', 'api-read', 'api-write', 'many-keys', 'memory', 'binary'])

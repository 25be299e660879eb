import fc from 'fast-check'
import { SEED } from './seed'

fc.configureGlobal({ seed: SEED })

/** fast-check, with the seed of the run. Tests import it from here. */
export { fc }

/** The suite that is run on each runtime by test/sdk/package.slow.test.ts, against the running server. */
import './client'
import './repetition'
import './verify'

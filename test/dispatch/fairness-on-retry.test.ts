import { testFairness } from '../support/fairness'

// A file of its own: it takes as long as the other one, and runs beside it.
testFairness('on-retry')

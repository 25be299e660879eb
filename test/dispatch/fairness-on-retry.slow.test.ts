import { testFairness } from '../support/webhooks/fairness'

// In a file of its own, to run concurrently with the other.
testFairness('on-retry')

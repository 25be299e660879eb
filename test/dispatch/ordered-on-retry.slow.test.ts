import { testOrdering } from '../support/webhooks/ordering'

// In a file of its own, to run concurrently with the other.
testOrdering('on-retry', 32, 10)

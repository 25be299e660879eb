import { testOrdering } from '../support/ordering'

// In a file of its own, to run concurrently with the other.
testOrdering('on-retry', 32, 10)

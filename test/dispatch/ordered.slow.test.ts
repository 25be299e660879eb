import { testOrdering } from '../support/webhooks/ordering'

// Fewer events than without: a workflow each takes long beside other tests.
testOrdering('every', 32, 4)

import { testOrdering } from '../support/ordering'

// A file of its own: it takes as long as the other one, and runs beside it.
testOrdering('on-retry')

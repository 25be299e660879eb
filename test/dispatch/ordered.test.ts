import { testOrdering } from '../support/webhooks/ordering'

testOrdering('on-retry', 4, 4)

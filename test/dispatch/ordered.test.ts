import { testOrdering } from '../support/ordering'

testOrdering('on-retry', 4, 4)

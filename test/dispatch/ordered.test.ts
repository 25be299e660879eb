import { testOrdering } from '../support/ordering'

testOrdering('every')

import { testFairness } from '../support/fairness'

testFairness('every')

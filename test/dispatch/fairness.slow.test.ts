import { testFairness } from '../support/webhooks/fairness'

testFairness('every')

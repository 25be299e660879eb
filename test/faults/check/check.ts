import { checkAttempts, checkSchedule } from './attempts'
import { checkAtLeastOnce, checkDeliveries, checkEvents, checkStates } from './deliveries'
import type { History, Verdict } from './history'
import { checkNumbering, checkOrder, checkStream } from './order'
import { checkSignatures } from './signatures'

/** Checks every promise of the contract that a history can break; one verdict for each. */
export const checkHistory = async (history: History): Promise<Verdict[]> => [
  checkResponses(history),
  checkEvents(history),
  checkDeliveries(history),
  checkAtLeastOnce(history),
  checkStates(history),
  checkAttempts(history),
  checkSchedule(history),
  checkNumbering(history),
  checkOrder(history),
  checkStream(history),
  await checkSignatures(history),
]

/** Changes succeed, or say that the database is away. What an asynchronous standby has lost is not found. */
const checkResponses = ({ responses, wrongResponses, failover }: History): Verdict => ({
  promise: 'every response is a success or 503',
  contract: '2.5',
  cases: responses,
  broken: wrongResponses
    .filter(({ status }) => status !== 404 || failover !== 'asynchronous')
    .map(({ request, status, text }) => `${request}: ${status} ${text}`),
})

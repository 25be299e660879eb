import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Meter } from './meter'

/** In seconds: a request takes milliseconds, one that waits for a lock up to 10 s. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** In seconds, up to the 30 s that an endpoint has. */
const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]
/** In seconds, up to an outage. */
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Of the defaults of prom-client those that Bun fills with nothing, or with what is not so (1.4.5). */
const WRONG_UNDER_BUN =
  /^(process_heap_bytes|nodejs_(active_|heap_space_|gc_|version_info|eventloop_lag_seconds))/

export type Metrics = { registry: Registry; meter: Meter }

/** The metrics of this process, empty: one registry for each, none shared. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const { name } of registry.getMetricsAsArray())
    if (WRONG_UNDER_BUN.test(name)) registry.removeSingleMetric(name)
  const registers = [registry]

  const requests = new Counter({
    name: 'arden_http_requests_total',
    help: 'Requests answered, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'arden_http_request_duration_seconds',
    help: 'From a request to its answer.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const admissions = new Counter({
    name: 'arden_limit_decisions_total',
    help: 'What was decided of a request by its key: accepted, limited (429), or why it was refused (401).',
    labelNames: ['outcome'],
    registers,
  })
  const handOvers = new Counter({
    name: 'arden_hand_overs_total',
    help: 'Due records that were handed to Temporal, by table and whether that succeeded.',
    labelNames: ['table', 'result'],
    registers,
  })
  const lag = new Histogram({
    name: 'arden_dispatch_lag_seconds',
    help: 'From the change that made a record due for the first time until Temporal has it.',
    labelNames: ['table'],
    buckets: LAG_SECONDS,
    registers,
  })
  const attempts = new Counter({
    name: 'arden_attempts_total',
    help: 'Attempts of deliveries, by result and class of the answer; not_counted are failures of our own.',
    labelNames: ['result', 'answer'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: 'arden_attempt_duration_seconds',
    help: 'From the name look-up of an attempt to its answer or its failure.',
    labelNames: ['result'],
    buckets: ATTEMPT_SECONDS,
    registers,
  })
  const deliveries = new Counter({
    name: 'arden_deliveries_total',
    help: 'Deliveries that became final, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const generations = new Counter({
    name: 'arden_generations_total',
    help: 'Generations that became final while a worker had them, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  // From the start at 0, so that the first failure is an increase.
  attempts.inc({ result: 'not_counted', answer: 'none' }, 0)
  for (const table of ['deliveries', 'generations'])
    for (const result of ['ok', 'failed']) handOvers.inc({ table, result }, 0)
  for (const outcome of ['delivered', 'failed']) deliveries.inc({ outcome }, 0)
  for (const outcome of ['completed', 'failed', 'cancelled']) generations.inc({ outcome }, 0)

  return {
    registry,
    meter: {
      recordRequest: ({ method, route, status, seconds }) => {
        requests.inc({ method, route, status })
        requestSeconds.observe({ method, route }, seconds)
      },
      recordAdmission: outcome => admissions.inc({ outcome }),
      recordHandOver: (table, lagSeconds) => {
        handOvers.inc({ table, result: 'ok' })
        if (lagSeconds !== undefined) lag.observe({ table }, lagSeconds)
      },
      recordFailedHandOver: table => handOvers.inc({ table, result: 'failed' }),
      recordAttempt: ({ delivered, httpStatus, seconds }) => {
        const result = delivered ? 'delivered' : 'failed'
        attempts.inc({ result, answer: statusClass(httpStatus) })
        attemptSeconds.observe({ result }, seconds)
      },
      recordInfrastructureError: () => attempts.inc({ result: 'not_counted', answer: 'none' }),
      recordDelivery: status => deliveries.inc({ outcome: status.toLowerCase() }),
      recordGeneration: status => generations.inc({ outcome: status.toLowerCase() }),
    },
  }
}

const statusClass = (httpStatus: number | null) =>
  httpStatus === null ? 'none' : `${Math.floor(httpStatus / 100)}xx`

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Meter } from './meter'

/** In seconds: a request takes milliseconds, or up to 10 s if it waits for a lock. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** In seconds, up to the response timeout of 30 s (contract 5.5). */
const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]
/** In seconds, up to the length of an outage. */
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Default metrics of prom-client that Bun (1.4.5) leaves empty or wrong. */
const WRONG_UNDER_BUN =
  /^(process_heap_bytes|nodejs_(active_|heap_space_|gc_|version_info|eventloop_lag_seconds))/

export type Metrics = { registry: Registry; meter: Meter }

/** The metrics of this process, in a registry of their own. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const { name } of registry.getMetricsAsArray())
    if (WRONG_UNDER_BUN.test(name)) registry.removeSingleMetric(name)
  const registers = [registry]

  const requests = new Counter({
    name: 'arden_http_requests_total',
    help: 'Requests by method, route and status of the response.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'arden_http_request_duration_seconds',
    help: 'Time from a request to its response.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  const admissions = new Counter({
    name: 'arden_limit_decisions_total',
    help: 'Outcome of the key check of a request: accepted, limited (429), or the reason of a 401.',
    labelNames: ['outcome'],
    registers,
  })
  const unlogged = new Counter({
    name: 'arden_unlogged_requests_total',
    help: 'Failed requests that are not in the request log, by reason: the limit of an account, the memory of the process while the database is away, or a 503 while it could not check the key.',
    labelNames: ['reason'],
    registers,
  })
  const handOvers = new Counter({
    name: 'arden_hand_overs_total',
    help: 'Due records passed to Temporal, by table and result.',
    labelNames: ['table', 'result'],
    registers,
  })
  const lag = new Histogram({
    name: 'arden_dispatch_lag_seconds',
    help: 'Time from the commit that made a record due for the first time until Temporal accepted it.',
    labelNames: ['table'],
    buckets: LAG_SECONDS,
    registers,
  })
  const attempts = new Counter({
    name: 'arden_attempts_total',
    help: 'Attempts of deliveries by result and status class of the response; infrastructure_error: a failure of Arden itself, not an attempt.',
    labelNames: ['result', 'response'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: 'arden_attempt_duration_seconds',
    help: 'Time from the DNS lookup of an attempt to its response or failure.',
    labelNames: ['result'],
    buckets: ATTEMPT_SECONDS,
    registers,
  })
  const retryLag = new Histogram({
    name: 'arden_retry_lag_seconds',
    help: 'Time from when a retry was due until it began.',
    buckets: LAG_SECONDS,
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
    help: 'Generations that became final in a worker, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const modelErrors = new Counter({
    name: 'arden_language_model_errors_total',
    help: 'Failed calls of the language model, by error code; 429s are counted in arden_provider_rate_limited_total.',
    labelNames: ['code'],
    registers,
  })
  const emails = new Counter({
    name: 'arden_emails_total',
    help: 'Emails that left the queue: sent, refused (the mail server does not accept the address) or expired before they could be sent.',
    labelNames: ['outcome'],
    registers,
  })
  const serpErrors = new Counter({
    name: 'arden_serp_errors_total',
    help: 'Searches of the SERP provider without a result, by reason; 429s are counted in arden_provider_rate_limited_total.',
    labelNames: ['reason'],
    registers,
  })
  const rateLimited = new Counter({
    name: 'arden_provider_rate_limited_total',
    help: 'Responses with 429 of language models and of the SERP provider, by kind of provider and name.',
    labelNames: ['provider', 'name'],
    registers,
  })
  const slowed = new Gauge({
    name: 'arden_provider_slowed',
    help: '1 while this process slows its requests to a provider down, after a 429.',
    labelNames: ['provider', 'name'],
    registers,
  })
  // Start at 0, so that the first failure is an increase.
  attempts.inc({ result: 'infrastructure_error', response: 'none' }, 0)
  for (const table of ['deliveries', 'generations', 'project_rank_runs'])
    for (const result of ['ok', 'failed']) handOvers.inc({ table, result }, 0)
  for (const reason of ['limit', 'memory', 'caller']) unlogged.inc({ reason }, 0)
  for (const outcome of ['delivered', 'failed']) deliveries.inc({ outcome }, 0)
  for (const code of ['provider_rejected', 'provider_unavailable', 'provider_timeout'])
    modelErrors.inc({ code }, 0)
  for (const outcome of ['sent', 'refused', 'expired']) emails.inc({ outcome }, 0)
  for (const reason of ['unavailable', 'refused', 'out_of_credit', 'unusable'])
    serpErrors.inc({ reason }, 0)
  for (const outcome of ['completed', 'failed', 'cancelled']) generations.inc({ outcome }, 0)

  return {
    registry,
    meter: {
      recordRequest: ({ method, route, status, seconds }) => {
        requests.inc({ method, route, status })
        requestSeconds.observe({ method, route }, seconds)
      },
      recordAdmission: outcome => admissions.inc({ outcome }),
      recordUnloggedRequests: (reason, count) => unlogged.inc({ reason }, count),
      recordHandOver: (table, lagSeconds) => {
        handOvers.inc({ table, result: 'ok' })
        if (lagSeconds !== undefined) lag.observe({ table }, lagSeconds)
      },
      recordFailedHandOver: table => handOvers.inc({ table, result: 'failed' }),
      recordAttempt: ({ delivered, httpStatus, seconds }) => {
        const result = delivered ? 'delivered' : 'failed'
        attempts.inc({ result, response: statusClass(httpStatus) })
        attemptSeconds.observe({ result }, seconds)
      },
      recordInfrastructureError: () =>
        attempts.inc({ result: 'infrastructure_error', response: 'none' }),
      recordRetry: lateSeconds => retryLag.observe(lateSeconds),
      recordDelivery: status => deliveries.inc({ outcome: status.toLowerCase() }),
      recordGeneration: status => generations.inc({ outcome: status.toLowerCase() }),
      recordModelError: code => modelErrors.inc({ code }),
      recordEmail: outcome => emails.inc({ outcome }),
      recordSerpError: reason => serpErrors.inc({ reason: reason.replaceAll(' ', '_') }),
      recordRateLimited: (provider, name) => rateLimited.inc({ provider, name }),
      recordProviderSlowed: (provider, name, isSlow) => {
        rateLimited.inc({ provider, name }, 0)
        slowed.set({ provider, name }, Number(isSlow))
      },
    },
  }
}

const statusClass = (httpStatus: number | null) =>
  httpStatus === null ? 'none' : `${Math.floor(httpStatus / 100)}xx`

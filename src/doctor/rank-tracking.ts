import type { Config } from '../config'
import { SerpProviderError } from '../content/rankings/serp/provider'
import {
  createSerpAdapter,
  redactProviderText,
  sendSerpRequest,
} from '../content/rankings/serp/selection'
import type { Sql } from '../db/connect'
import { readProviders } from '../temporal/heartbeat'
import { type Checks, type Finding, fail, ok, warn } from './check'
import { checkUnevenWorkers } from './uneven-workers'

/** A project that is due for this long, in hours, while no run is open, is not checked. */
const MISSING_H = 2
const DAY_H = 24
/** For the account of the key, in ms. */
const TIMEOUT_MS = 5_000

type Run = {
  startedAt: Date
  hours: number
  keywords: number
  ranked: number
  failed: number
  unranked: number
  missedDays: number
  isOpen: boolean
  searches: number
  costUsd: number
  problem: string | null
}

/** Checks the key of the SERP provider, where this process has it, and the latest run of the rank tracking. */
export const rankTrackingChecks = (
  sql: Sql,
  { serp, forOperators }: { serp: Config['serp']; forOperators: boolean },
): Checks => ({
  ...(serp && forOperators && { 'SERP provider': () => checkAccount(serp) }),
  'rank tracking': async () => {
    const providers = await readProviders(sql)
    if (providers !== undefined && !providers.includes('serp'))
      return checkWithoutProvider(sql, forOperators && serp !== undefined)
    const finding = await checkRuns(sql)
    if (finding.status !== 'ok') return finding
    return (await checkUnevenWorkers(sql, 'serp', forOperators)) ?? finding
  },
})

const checkRuns = async (sql: Sql): Promise<Finding> => {
  const [run] = await sql<[Run?]>`
    SELECT started_at AS "startedAt", keywords, ranked, failed, unranked,
      missed_days AS "missedDays", finished_at IS NULL AS "isOpen", problem,
      searches, cost_usd::float8 AS "costUsd",
      extract(epoch FROM clock_timestamp() - started_at)::int / 3600 AS hours
    FROM rank_runs ORDER BY started_at DESC LIMIT 1`
  if (run?.isOpen !== true) {
    const hours = await readOverdueHours(sql)
    if (hours !== null && hours >= MISSING_H)
      return warn(
        `The keywords of a project have been due for ${hours} hours, and no run has begun.`,
        'Check that a worker runs, and that the schedule track-rankings:<task queue> in Temporal is not paused.',
      )
  }
  return run === undefined
    ? ok(
        'No scheduled run has begun yet. Those that users request are on the pages of their projects.',
      )
    : checkRun(run)
}

/** For how long a project with a tracked keyword has been due; null if none is. */
const readOverdueHours = async (sql: Sql): Promise<number | null> => {
  const [due] = await sql<[{ hours: number | null }]>`
    SELECT extract(epoch FROM clock_timestamp() - min(p.rank_due_at))::int / 3600 AS hours
    FROM projects p
    WHERE p.mode = 'live' AND p.deleted_at IS NULL AND p.domain IS NOT NULL
      AND p.rank_schedule <> 'off' AND p.rank_due_at < clock_timestamp() - interval '1 hour'
      AND EXISTS (
        SELECT FROM keywords k WHERE k.project_id = p.id AND k.tracked AND k.deleted_at IS NULL
      )`
  return due.hours
}

/** One request, which costs nothing (docs/serp-provider.md). */
const checkAccount = async (serp: NonNullable<Config['serp']>): Promise<Finding> => {
  const { name, account } = createSerpAdapter(serp)
  if (account === undefined)
    return ok(
      `${name} is configured. It is not tested: a service of your own has no request that is known to be free. A run shows whether it responds.`,
    )
  try {
    const response = await sendSerpRequest(account.request, AbortSignal.any([]), TIMEOUT_MS)
    const { left, unit } = account.read(response)
    return left > 0
      ? ok(`${name} accepts the key: ${left} ${unit} left.`)
      : warn(`${name} accepts the key, but has no ${unit} left.`, 'Add credit there.')
  } catch (error) {
    const failure = redactProviderText(error, serp.apiKey)
    if (!(failure instanceof SerpProviderError)) throw failure
    const { reason, message, providerText } = failure
    const found = `${name} ${message}${providerText === undefined ? '' : `: ${providerText}`}`
    if (reason === 'out of credit') return fail(`${found}.`, 'Add credit there.')
    if (reason === 'rate limited') return warn(`${found}.`, 'Check again in a minute.')
    return fail(
      `${found}.`,
      reason === 'refused'
        ? 'Correct ARDEN_SERP_API_KEY.'
        : 'Check ARDEN_SERP_PROVIDER, ARDEN_SERP_URL and the outgoing network.',
    )
  }
}

const checkWithoutProvider = async (sql: Sql, isConfiguredHere: boolean): Promise<Finding> => {
  const [keyword] = await sql`
    SELECT FROM keywords WHERE tracked AND mode = 'live' AND deleted_at IS NULL LIMIT 1`
  const found = isConfiguredHere
    ? 'No running worker has a SERP provider, and this command has one'
    : 'No SERP provider is configured'
  if (keyword === undefined) return ok(`${found}; no keyword is to be tracked.`)
  return warn(
    `${found}: the rankings of live keywords are not tracked.`,
    isConfiguredHere
      ? 'Give every worker the same ARDEN_SERP_ settings, and restart them (docs/serp-provider.md).'
      : 'Set ARDEN_SERP_PROVIDER and ARDEN_SERP_API_KEY for the workers (docs/serp-provider.md), or turn tracking off for the keywords.',
  )
}

const checkRun = (run: Run): Finding => {
  const { hours, keywords, ranked, failed, unranked, missedDays, isOpen, problem } = run
  const what = `The run that began at ${run.startedAt.toISOString()}`
  if (isOpen && hours >= DAY_H)
    return warn(
      `${what} has taken ${hours} hours; after a day, ${unranked} of ${keywords} keywords had no new ranking.`,
      'Raise ARDEN_SERP_IN_FLIGHT, or the rate limit of the SERP provider. If its workflow does not run in Temporal, the next run records its end.',
    )
  if (problem !== null)
    return warn(
      `${what} ended early, and ${unranked} of ${keywords} keywords have no new ranking. ${problem}`,
      'Fix that. These keywords are tried again every hour.',
    )
  if (missedDays > 0)
    return warn(
      `There was no run for ${missedDays} days before the one that began at ${run.startedAt.toISOString()}.`,
      'See the logs of the workers of those days. The next run ends this warning.',
    )
  if (!isOpen && failed > ranked)
    return warn(
      `${what} got no usable result of the SERP provider for ${failed} of ${keywords} keywords.`,
      'Search the workers\' logs for "The SERP provider returned no usable result", which has the reason. These keywords are checked again at the next run of their project.',
    )
  if (isOpen) return ok(`${what} is checking ${keywords} keywords.`)
  return ok(
    `${what} ranked ${ranked} of ${keywords} keywords; ${failed} got no usable result. It made ${run.searches} searches${run.costUsd > 0 ? `, for $${run.costUsd.toFixed(2)}` : ''}.`,
  )
}

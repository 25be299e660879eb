import type { Tenant } from '../../../caller'
import type { Db, Tx } from '../../../db/connect'
import { TooManyRequests } from '../../../errors'
import { minutes } from '../../../people/sign-in-throttle'
import type { ProviderTest } from '../providers/test-call'

/**
 * Tests of the language models that owners request (contract 6.8). Only workers have the settings of providers, so the
 * API writes a row, and a worker makes the test.
 */

/** What owners of accounts see: not the provider's own text, which can contain the operator's account. */
export type ProviderTestResult = Omit<ProviderTest, 'providerText'>

export type ProviderTestRun = {
  requested_at: string
  /** Null until a worker makes it. */
  started_at: string | null
  finished_at: string | null
  /** In the order of ARDEN_LLM_PROVIDERS. */
  results: ProviderTestResult[]
}

/** Requests of one account in this many minutes. */
const REQUESTS_MAX = 10
const WINDOW_MINUTES = 15
/** A test that did not finish within this time, in seconds, is over: its worker was stopped. */
export const TEST_MAX_S = 60

/**
 * Requests a test of all providers, or joins the one that is under way for any account.
 * @throws {TooManyRequests}
 */
export const requestProviderTest = async (
  tx: Tx,
  { accountId }: Tenant,
): Promise<ProviderTestRun> => {
  // Concurrent requests count one after the other.
  await tx`LOCK TABLE provider_tests IN SHARE ROW EXCLUSIVE MODE`
  const [{ count, seconds, isOpen }] = await tx<
    [{ count: number; seconds: number; isOpen: boolean | null }]
  >`
    SELECT count(*) FILTER (WHERE account_id = ${accountId}) AS count,
      coalesce(ceil(extract(epoch FROM min(requested_at) FILTER (WHERE account_id = ${accountId})
        + make_interval(mins => ${WINDOW_MINUTES}) - clock_timestamp())), 0)::int AS seconds,
      bool_or(finished_at IS NULL
        AND requested_at > clock_timestamp() - make_interval(secs => ${TEST_MAX_S})) AS "isOpen"
    FROM provider_tests
    WHERE requested_at > clock_timestamp() - make_interval(mins => ${WINDOW_MINUTES})`
  if (count >= REQUESTS_MAX)
    throw new TooManyRequests(
      `The language models were tested ${REQUESTS_MAX} times within ${WINDOW_MINUTES} minutes, and each test is paid for. Try again in ${minutes(seconds)}.`,
      Math.max(1, seconds),
    )
  await tx`
    DELETE FROM provider_tests
    WHERE requested_at <= clock_timestamp() - make_interval(mins => ${WINDOW_MINUTES})`
  if (isOpen !== true) await tx`INSERT INTO provider_tests (account_id) VALUES (${accountId})`
  const run = await readProviderTest(tx)
  if (run === undefined) throw new Error('the requested test of the providers is not there')
  return run
}

/** The latest test, of whichever account: the providers are the same for all. */
export const readProviderTest = async (db: Db): Promise<ProviderTestRun | undefined> => {
  const [row] = await db<
    {
      requested_at: Date
      started_at: Date | null
      finished_at: Date | null
      results: ProviderTestResult[] | null
    }[]
  >`
    SELECT requested_at, started_at, finished_at, results FROM provider_tests
    ORDER BY id DESC LIMIT 1`
  return (
    row && {
      requested_at: row.requested_at.toISOString(),
      started_at: row.started_at?.toISOString() ?? null,
      finished_at: row.finished_at?.toISOString() ?? null,
      results: row.results ?? [],
    }
  )
}

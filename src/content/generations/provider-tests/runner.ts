import { createAvailability, runPeriodically } from '../../../availability'
import type { Config } from '../../../config'
import type { Sql } from '../../../db/connect'
import type { Log } from '../../../log'
import { testProvider } from '../providers/test-call'
import { type ProviderTestResult, TEST_MAX_S } from './store'

/** How often a worker looks for requested tests, in ms. */
const INTERVAL_MS = 1_000
/** For the response of a provider, in ms: a model can have to be loaded first. */
const TIMEOUT_MS = 30_000

/** Makes the tests that owners request, until `signal` is aborted. A worker without language models makes none. */
export const runProviderTests = (
  { sql, llm, log }: { sql: Sql; llm: NonNullable<Config['llm']>; log: Log },
  signal: AbortSignal,
): Promise<void> =>
  runPeriodically(
    () => makeNextTest(sql, llm, log),
    INTERVAL_MS,
    createAvailability(log, 'Tests of language models', 'They are made when PostgreSQL responds.'),
    signal,
  )

const makeNextTest = async (
  sql: Sql,
  { providers }: NonNullable<Config['llm']>,
  log: Log,
): Promise<'more' | 'done'> => {
  const [test] = await sql<{ id: number }[]>`
    UPDATE provider_tests SET started_at = clock_timestamp()
    WHERE id = (
      SELECT id FROM provider_tests
      WHERE started_at IS NULL
        AND requested_at > clock_timestamp() - make_interval(secs => ${TEST_MAX_S})
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id`
  if (test === undefined) return 'done'
  const results = await Promise.all(
    providers.map(async (provider): Promise<ProviderTestResult> => {
      const { providerText, ...result } = await testProvider(provider, TIMEOUT_MS)
      if (providerText !== null)
        log.warn(
          { provider: result.name, provider_text: providerText },
          `A test of ${result.name} failed: ${result.found}`,
        )
      return result
    }),
  )
  await sql`
    UPDATE provider_tests SET finished_at = clock_timestamp(), results = ${sql.json(results)}
    WHERE id = ${test.id}`
  return 'more'
}

import type { Config } from '../config'
import type { Sql } from '../db/connect'
import { readProviders } from '../temporal/heartbeat'
import { type Checks, type Finding, ok, warn } from './check'
import { checkUnevenWorkers } from './uneven-workers'

/** The latest live generations that are looked at, among the latest of both modes. */
const LATEST = 20
const LATEST_OF_BOTH = 1_000
/** For the response of a provider, in ms: less than the time of a check. */
const TIMEOUT_MS = 6_000

const SETTINGS = 'ARDEN_LLM_BASE_URL, ARDEN_LLM_API_KEY and ARDEN_LLM_MODEL'

type Ended = { isFailed: boolean; isOffline: boolean; message: string | null }

/**
 * Checks whether articles are written by a language model: the latest generations, and each provider with one small
 * call, where this process has its settings.
 */
export const languageModelChecks = (
  sql: Sql,
  { llm, forOperators }: { llm: Config['llm']; forOperators: boolean },
): Checks => ({
  'language model': async () => {
    const finding = checkLatest(await readLatest(sql), await readProviders(sql), {
      forOperators,
      isConfiguredHere: forOperators && llm !== undefined,
    })
    if (finding.status !== 'ok') return finding
    return (await checkUnevenWorkers(sql, 'live', forOperators)) ?? finding
  },
  ...Object.fromEntries(
    (forOperators ? (llm?.providers ?? []) : []).map(provider => [
      `language model ${provider.name}`,
      async (): Promise<Finding> => {
        // Lazy: `serve` and other commands need no libraries of providers.
        const { testProvider } = await import('../content/generations/providers/test-call')
        const { status, found, todo, providerText } = await testProvider(provider, TIMEOUT_MS)
        const text = providerText === null ? found : `${found} Its response: ${providerText}`
        return { status, found: text, ...(todo !== null && { todo }) }
      },
    ]),
  ),
})

/** Without those that failed for a reason of the user, such as a required check: they say nothing of the model. */
const readLatest = (sql: Sql) => sql<Ended[]>`
  SELECT status = 'FAILED' AS "isFailed", offline_draft AS "isOffline", error_message AS message
  FROM (SELECT * FROM generations ORDER BY id DESC LIMIT ${LATEST_OF_BOTH}) latest
  WHERE mode = 'live' AND (status = 'COMPLETED' OR status = 'FAILED' AND error_code LIKE 'provider%')
  ORDER BY id DESC LIMIT ${LATEST}`

const checkLatest = (
  latest: readonly Ended[],
  providers: Awaited<ReturnType<typeof readProviders>>,
  { forOperators, isConfiguredHere }: { forOperators: boolean; isConfiguredHere: boolean },
): Finding => {
  const [last] = latest
  // Owners of an account see nothing of the generations of others.
  if (forOperators && last?.isFailed)
    return warn(
      `${latest.filter(one => one.isFailed).length} of the last ${latest.length} live generations failed at the provider, the latest with: ${last.message}`,
      "The workers' logs have the response of the language model. Correct its settings, and generate the articles again.",
    )
  if (providers === undefined) return ok('Not known: no worker runs.')
  if (providers.includes('live')) return ok('A language model is configured.')
  if (isConfiguredHere)
    return warn(
      'No running worker has a language model, and this command has one: generations are outlines of the offline provider.',
      'Give every worker the same ARDEN_LLM_ settings, and restart them.',
    )
  const offline = latest.filter(one => one.isOffline).length
  return offline > 0
    ? warn(
        `None is configured: ${offline} of the last ${latest.length} live generations are outlines of the offline provider.`,
        `Set ${SETTINGS} for the workers.`,
      )
    : ok(`None is configured: generations are outlines of the offline provider.`)
}

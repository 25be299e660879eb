import type { Config } from '../config'
import type { Sql } from '../db/connect'
import { redactKey } from '../log'
import { readProviders } from '../temporal/heartbeat'
import { type Checks, type Finding, fail, ok, warn } from './check'

/** The latest live generations that are looked at, among the latest of both modes. */
const LATEST = 20
const LATEST_OF_BOTH = 1_000
/** For the list of models, in ms, and characters of a refusal that are shown. */
const TIMEOUT_MS = 5_000
const REFUSAL_MAX = 300

const SETTINGS = 'ARDEN_LLM_BASE_URL, ARDEN_LLM_API_KEY and ARDEN_LLM_MODEL'

type Ended = { isFailed: boolean; isOffline: boolean; message: string | null }

/**
 * Checks whether articles are written by a language model: its key, where this process has it, and the latest
 * generations.
 */
export const languageModelChecks = (sql: Sql, llm: Config['llm']): Checks => ({
  'language model': async () =>
    (llm && (await checkKey(llm))) ?? checkLatest(await readLatest(sql), await readProviders(sql)),
})

const readLatest = (sql: Sql) => sql<Ended[]>`
  SELECT status = 'FAILED' AS "isFailed", offline_draft AS "isOffline", error_message AS message
  FROM (SELECT * FROM generations ORDER BY id DESC LIMIT ${LATEST_OF_BOTH}) latest
  WHERE mode = 'live' AND status IN ('COMPLETED', 'FAILED') AND error_code IS DISTINCT FROM 'stopped'
  ORDER BY id DESC LIMIT ${LATEST}`

const checkLatest = (
  latest: readonly Ended[],
  providers: Awaited<ReturnType<typeof readProviders>>,
): Finding => {
  const [last] = latest
  if (last?.isFailed)
    return warn(
      `${latest.filter(one => one.isFailed).length} of the last ${latest.length} live generations failed, the latest with: ${last.message}`,
      "The workers' logs have the response of the language model. Correct its settings, and generate the articles again.",
    )
  if (providers === undefined) return ok('Not known: no worker runs.')
  if (providers.includes('live')) return ok('A language model is configured.')
  const offline = latest.filter(one => one.isOffline).length
  return offline > 0
    ? warn(
        `None is configured: ${offline} of the last ${latest.length} live generations are outlines of the offline provider.`,
        `Set ${SETTINGS} for the workers.`,
      )
    : ok(`None is configured: generations are outlines of the offline provider.`)
}

/** Undefined when the key is accepted, or the server has no list of models. */
const checkKey = async ({ baseUrl, apiKey }: NonNullable<Config['llm']>) => {
  const { host } = new URL(baseUrl)
  const response = await fetch(`${baseUrl.replace(/\/$/, '')}/models`, {
    headers: { Authorization: `Bearer ${apiKey}` },
    // A followed redirect would send the key to another server.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  if (response === undefined)
    return fail(`${host} cannot be reached.`, 'Check ARDEN_LLM_BASE_URL and the outgoing network.')
  const { status } = response
  if (status !== 401 && status !== 403) return undefined
  const text = redactKey(await readBeginning(response), apiKey).slice(0, REFUSAL_MAX)
  return fail(`${host} rejects the key (${status}): ${text}`, 'Correct ARDEN_LLM_API_KEY.')
}

/** What has arrived first of a body, which can be without an end. */
const readBeginning = async ({ body }: Response): Promise<string> => {
  const reader = body?.getReader()
  const first = await reader?.read().catch(() => undefined)
  await reader?.cancel().catch(() => {})
  return new TextDecoder().decode(first?.value)
}

import type { Sql } from '../db/connect'
import { workersWithout } from '../temporal/heartbeat'
import { andOthers, type Finding, warn } from './check'

/** What depends on a provider: whichever worker takes it uses its own settings. */
const PROVIDERS = {
  live: {
    name: 'language model',
    settings: 'ARDEN_LLM_',
    effect: 'live generations that it takes are outlines of the offline provider',
  },
  serp: {
    name: 'SERP provider',
    settings: 'ARDEN_SERP_',
    effect: 'the keywords that it takes in a run of the rank tracking get no ranking',
  },
}

/**
 * A warning where some running workers have no such provider, and others do. Ids of workers are for operators, not for
 * owners of accounts.
 */
export const checkUnevenWorkers = async (
  sql: Sql,
  provider: keyof typeof PROVIDERS,
  forOperators: boolean,
): Promise<Finding | undefined> => {
  const [first, ...others] = await workersWithout(sql, provider)
  if (first === undefined) return undefined
  const { name, settings, effect } = PROVIDERS[provider]
  return warn(
    `${forOperators ? `The worker ${first} has` : 'A worker has'} no ${name}${andOthers(others.length)}: ${effect}.`,
    `Give every worker the same ${settings} settings, and restart them.`,
  )
}

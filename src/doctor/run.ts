import type { Config } from '../config'
import type { Sql } from '../db/connect'
import type { Temporal } from '../temporal/connection'
import { type CheckResult, describeCause, fail, runChecks } from './check'
import { databaseChecks } from './database'
import { encryptionChecks } from './encryption'
import { languageModelChecks } from './language-model'
import { mailChecks } from './mail'
import { oidcChecks } from './oidc'
import { rankTrackingChecks } from './rank-tracking'
import { sendingChecks } from './sending'

/** The parts of a deployment that are checked. */
type SystemParts = {
  config: Config
  /** A pool for `config.databaseUrl`; undefined if that is invalid. */
  sql?: Sql | undefined
  /**
   * Connects to Temporal, or returns the open connection. Undefined to skip Temporal, as `serve` does.
   */
  temporal?: () => Promise<Temporal>
}

/**
 * Checks everything that Arden depends on, within 8 s and without changes. Never rejects: a check that throws
 * or hangs has failed.
 */
export const checkSystem = async ({
  config,
  sql,
  temporal,
}: SystemParts): Promise<CheckResult[]> => {
  const groups = await Promise.all([
    sql === undefined
      ? runChecks(encryptionChecks(sql, config.encryptionKeys, temporal !== undefined))
      : runChecks(
          {
            ...databaseChecks(sql, config.databaseUrl ?? ''),
            ...encryptionChecks(sql, config.encryptionKeys, temporal !== undefined),
            ...sendingChecks(sql),
            // Texts of these servers are for operators, not for owners of accounts.
            ...rankTrackingChecks(sql, { serp: config.serp, forOperators: temporal !== undefined }),
            ...languageModelChecks(sql, { llm: config.llm, forOperators: temporal !== undefined }),
            ...(temporal && { ...mailChecks(sql, config.mail), ...oidcChecks(config.oidc) }),
          },
          'database',
          'migrations',
        ),
    temporal === undefined ? [] : checkTemporal(temporal, config, sql),
  ])
  return groups.flat()
}

/** Lazy: Temporal's library takes 0.1 s to load, which every command would pay. */
const checkTemporal = async (
  temporal: () => Promise<Temporal>,
  config: Config,
  sql: Sql | undefined,
) => {
  try {
    const { temporalChecks } = await import('./temporal')
    return await runChecks(temporalChecks(temporal, config, sql), 'temporal', 'namespace')
  } catch (error) {
    return [
      { name: 'temporal', ...fail(describeCause(error), 'Fix that and run the command again.') },
    ]
  }
}

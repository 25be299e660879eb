import type { Config } from '../config'
import type { Sql } from '../db/connect'
import type { Temporal } from '../temporal/connection'
import { type CheckResult, runChecks } from './check'
import { databaseChecks } from './database'
import { encryptionChecks } from './encryption'
import { sendingChecks } from './sending'

/** What is checked. */
export type SystemParts = {
  config: Config
  /** Of `config.databaseUrl`; left out where that cannot be used. */
  sql?: Sql | undefined
  /** Connects, or answers what is connected. Left out where Temporal is not to be asked: `serve` never does. */
  temporal?: () => Promise<Temporal>
}

/**
 * Checks all that a running Arden rests on, in 8 s at most, and changes nothing. Never rejects: what hangs
 * or breaks is a check that failed.
 */
export const checkSystem = async ({
  config,
  sql,
  temporal,
}: SystemParts): Promise<CheckResult[]> => {
  const groups = await Promise.all([
    sql === undefined
      ? runChecks(encryptionChecks(sql, config.encryptionKeys))
      : runChecks(
          {
            ...databaseChecks(sql, config.databaseUrl ?? ''),
            ...encryptionChecks(sql, config.encryptionKeys),
            ...sendingChecks(sql),
          },
          'database',
        ),
    temporal === undefined ? [] : checkTemporal(temporal, config),
  ])
  return groups.flat()
}

/** Loaded here: Temporal's library alone takes 0.1 s, which every command would pay. */
const checkTemporal = async (temporal: () => Promise<Temporal>, config: Config) => {
  const { temporalChecks } = await import('./temporal')
  return runChecks(temporalChecks(temporal, config), 'temporal', 'namespace')
}

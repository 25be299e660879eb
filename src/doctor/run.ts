import type { Config } from '../config'
import type { Sql } from '../db/connect'
import type { Temporal } from '../temporal/connection'
import { type Check, runLooks } from './check'
import { databaseLooks } from './database'
import { encryptionLooks } from './encryption'
import { sendingLooks } from './sending'

/** What is checked. */
export type Parts = {
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
export const runChecks = async ({ config, sql, temporal }: Parts): Promise<Check[]> => {
  const groups = await Promise.all([
    sql === undefined
      ? runLooks(encryptionLooks(sql, config.encryptionKeys))
      : runLooks(
          {
            ...databaseLooks(sql, config.databaseUrl ?? ''),
            ...encryptionLooks(sql, config.encryptionKeys),
            ...sendingLooks(sql),
          },
          'database',
        ),
    temporal === undefined ? [] : checkTemporal(temporal, config),
  ])
  return groups.flat()
}

/** Loaded here: Temporal's library alone takes 0.1 s, which every command would pay. */
const checkTemporal = async (temporal: () => Promise<Temporal>, config: Config) => {
  const { temporalLooks } = await import('./temporal')
  return runLooks(temporalLooks(temporal, config), 'temporal', 'namespace')
}

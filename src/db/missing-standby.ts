import type { Db } from './connect'

/**
 * `synchronous_standby_names` where commits wait for standbys and none is connected; else undefined. A role without
 * `pg_read_all_stats` sees that there are some, and not which.
 */
export const findMissingStandby = async (db: Db): Promise<string | undefined> => {
  const [row] = await db<{ names: string }[]>`
    SELECT current_setting('synchronous_standby_names') AS names
    WHERE current_setting('synchronous_standby_names') <> ''
      AND current_setting('synchronous_commit') NOT IN ('off', 'local')
      AND NOT EXISTS (SELECT FROM pg_stat_replication)`
  return row?.names
}

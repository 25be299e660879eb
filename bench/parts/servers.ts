import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { connect } from '../../src/db/connect'
import { startPostgres } from '../../src/local/postgres/server'
import { createProgressLine } from '../../src/local/progress-line'
import { findTemporal } from '../../src/local/temporal/find'
import { startTemporal } from '../../src/local/temporal/server'
import { workflowBundle } from '../../src/temporal/bundle'
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes'
import { createTemplate, type DatabaseServer } from '../../test/support/database'
import {
  noTemporalServer,
  startTemporalServer,
} from '../../test/support/operations/temporal-server'

/** Where Temporal stores its state. */
export type Store = { name: 'SQLite' | 'PostgreSQL'; address: string; pid?: number }

export type Servers = DatabaseServer & {
  /** Undefined for an external server, whose CPU time is not measured. */
  postgresPid?: number
  stores: [Store, ...Store[]]
  /** File with the bundled workflow code. */
  workflowBundle: string
}

/**
 * Starts PostgreSQL with fsync and a migrated template, Temporal with SQLite as `arden dev` does, and if
 * available Temporal with its state in that PostgreSQL, as docker-compose.yml does. Calls `onStarted` with a
 * stop function for each.
 */
export const startServers = async (
  dir: string,
  onStarted: (stop: () => Promise<unknown>) => void,
  say: (line: string) => void,
): Promise<Servers> => {
  const postgres = await startPostgres({ dir: join(dir, 'postgres') })
  onStarted(postgres.stop)
  const database = { databaseUrl: postgres.url, databaseAdminUrl: postgres.adminUrl }
  await createTemplate(database)

  const progress = createProgressLine()
  const path = await findTemporal(progress)
  progress.end()
  const temporal = await startTemporal({
    path,
    dir: join(dir, 'temporal'),
    port: 0,
    searchAttributes: SEARCH_ATTRIBUTES,
  })
  onStarted(temporal.stop)

  const stores: Servers['stores'] = [
    { name: 'SQLite', address: temporal.address, pid: temporal.pid },
  ]
  if (noTemporalServer === undefined) {
    const onPostgres = await startTemporalServer(join(dir, 'temporal-server'), postgres.adminUrl)
    onStarted(onPostgres.stop)
    stores.push({ name: 'PostgreSQL', address: onPostgres.address, pid: onPostgres.pid })
  } else say(noTemporalServer)

  const bundle = join(dir, 'workflows.js')
  await writeFile(bundle, (await workflowBundle()).code)
  return {
    ...database,
    postgresPid: postgres.pid,
    stores,
    workflowBundle: bundle,
  }
}

/** Versions of the servers, by name. */
export const versionsOf = async (servers: Servers): Promise<Record<string, string>> => {
  const sql = connect(servers.databaseUrl, { name: 'bench', max: 1 })
  const [{ version }] = await sql<
    [{ version: string }]
  >`SELECT current_setting('server_version') AS version`
  await sql.end()
  const versions: Record<string, string> = { PostgreSQL: version }
  for (const { name, address } of servers.stores) {
    const connection = await Connection.connect({ address })
    const { serverVersion } = await connection.workflowService.getSystemInfo({})
    versions[`Temporal on ${name}`] = serverVersion ?? 'unknown'
    await connection.close()
  }
  return versions
}

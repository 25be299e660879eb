import { afterAll } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { type TestEnvironment, testEnvironment } from './environment'

/** A PostgreSQL server: `databaseUrl` has the user who owns the databases, `databaseAdminUrl` the one who creates them. */
export type DatabaseServer = Pick<TestEnvironment, 'databaseUrl' | 'databaseAdminUrl'>

/** Migrated once per run; every database of a test is a copy of it. */
const TEMPLATE = 'arden_template'

/** Creates the template in a new server. */
export const createTemplate = async (server: DatabaseServer): Promise<void> => {
  await asAdmin(server, async sql => {
    await sql`CREATE DATABASE ${sql(TEMPLATE)} OWNER ${sql(ownerOf(server))}`
    const template = connect(databaseUrl(server.databaseUrl, TEMPLATE), { name: 'test', max: 2 })
    await migrate(template)
    await template.end()
    // A database can be copied only while it has no connections.
    await sql`ALTER DATABASE ${sql(TEMPLATE)} ALLOW_CONNECTIONS false`
  })
}

/** A migrated, empty database and a pool of `connections` to it, dropped after the tests of the file or `describe`. */
export const useDatabase = async ({
  connections = 10,
  ...options
}: {
  connections?: number
  unmigrated?: boolean
} = {}): Promise<{ url: string; sql: Sql }> => {
  const { url, drop } = await createDatabase(options)
  const sql = connect(url, { name: 'test', max: connections })
  afterAll(async () => {
    // The driver would wait forever for a connection that a test terminated.
    await sql.end({ timeout: 1 })
    await drop()
  })
  return { url, sql }
}

/** The same as `useDatabase`, on any `server`, dropped by its caller. `drop` closes the connections that are still open to it. */
export const createDatabase = async ({
  unmigrated = false,
  server = testEnvironment(),
}: {
  unmigrated?: boolean
  server?: DatabaseServer
} = {}): Promise<{
  url: string
  drop(): Promise<void>
}> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = unmigrated ? 'template0' : TEMPLATE
  await asAdmin(
    server,
    sql =>
      sql`CREATE DATABASE ${sql(name)} OWNER ${sql(ownerOf(server))} TEMPLATE ${sql(template)} STRATEGY wal_log`,
  )
  return {
    url: databaseUrl(server.databaseUrl, name),
    drop: () =>
      asAdmin(server, async sql => void (await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)),
  }
}

/** The URL of another database of the same server. */
export const databaseUrl = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href

const ownerOf = ({ databaseUrl }: DatabaseServer) => new URL(databaseUrl).username

const asAdmin = async <T>(server: DatabaseServer, work: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = connect(server.databaseAdminUrl, { name: 'test', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

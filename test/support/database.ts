import { afterAll } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/db/connect'
import { testEnvironment } from './environment'

/** Migrated once per run; every database of a test is a copy of it. */
export const TEMPLATE = 'arden_template'

/** A migrated, empty database and a pool of `connections` to it, dropped after the tests of the file or `describe`. */
export const useDatabase = async ({
  connections = 10,
  ...options
}: {
  connections?: number
  bare?: boolean
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

/** As `useDatabase`, on any `server`, dropped by its caller. `drop` closes the connections that are still open to it. */
export const createDatabase = async ({
  bare = false,
  server = testEnvironment().databaseUrl,
} = {}): Promise<{
  url: string
  drop(): Promise<void>
}> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = bare ? 'template0' : TEMPLATE
  await asAdmin(
    server,
    sql => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY file_copy`,
  )
  return {
    url: databaseUrl(server, name),
    drop: () =>
      asAdmin(server, async sql => void (await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)),
  }
}

/** The URL of another database of the same server. */
export const databaseUrl = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href

const asAdmin = async <T>(
  server: string,
  work: (sql: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> => {
  const sql = connect(server, { name: 'test', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

import { randomUUID } from 'node:crypto'
import { connect } from '../../src/db/connect'
import { testEnvironment } from './environment'

/** Migrated once per run; every database of a test is a copy of it. */
export const TEMPLATE = 'arden_template'

/**
 * A migrated, empty database of one's own on `server`; with `bare`, one without a schema. `drop` ends the
 * connections that are still open to it.
 */
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

import { randomUUID } from 'node:crypto'
import { connect } from '../../src/db/connect'
import { testEnvironment } from './environment'

/** Migrated once per run; every database of a test is a copy of it. */
export const TEMPLATE = 'arden_template'

/**
 * A migrated, empty database of one's own; with `bare`, one without a schema. `drop` ends the connections
 * that are still open to it.
 */
export const createDatabase = async ({
  bare = false,
} = {}): Promise<{
  url: string
  drop(): Promise<void>
}> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = bare ? 'template0' : TEMPLATE
  await asAdmin(
    sql => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)} STRATEGY file_copy`,
  )
  return {
    url: databaseUrl(testEnvironment().databaseUrl, name),
    drop: () => asAdmin(async sql => void (await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`)),
  }
}

/** The URL of another database of the same server. */
export const databaseUrl = (server: string, name: string): string =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href

const asAdmin = async <T>(work: (sql: ReturnType<typeof connect>) => Promise<T>): Promise<T> => {
  const sql = connect(testEnvironment().databaseUrl, { name: 'test', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

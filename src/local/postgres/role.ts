import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { connect, type Sql } from '../../db/connect'
import { createPassword, passwordPath, SUPERUSER, superuserPasswordPath } from './data'

/** `postgres://` URLs with passwords: do not log them. */
export type LocalUrls = {
  /** URL of the database `arden`, as the role `arden`, which owns it and has no other privilege. */
  url: string
  /** URL of the database `postgres`, as the superuser. */
  adminUrl: string
}

/** The role of Arden and its database. */
const ARDEN = 'arden'

/** Creates Arden's role and its database in the server on `port` unless they exist, and returns how to reach them. */
export const ensureRole = async (dir: string, port: number): Promise<LocalUrls> => {
  const password = await readFile(passwordPath(dir), 'utf8')
  const url = (user: string, userPassword: string, database: string) =>
    `postgres://${user}:${userPassword}@127.0.0.1:${port}/${database}`
  const ardenUrl = url(ARDEN, password, ARDEN)
  if (!existsSync(superuserPasswordPath(dir))) {
    await withConnection(url(ARDEN, password, 'postgres'), ensureDatabase)
    await demoteArden(dir, ardenUrl, password)
  }
  const superuserPassword = await readFile(superuserPasswordPath(dir), 'utf8')
  const adminUrl = url(SUPERUSER, superuserPassword, 'postgres')
  await withConnection(adminUrl, async sql => {
    const [role] = await sql`SELECT 1 FROM pg_roles WHERE rolname = ${ARDEN}`
    if (role === undefined) await sql.unsafe(`CREATE ROLE ${ARDEN} LOGIN PASSWORD '${password}'`)
    await ensureDatabase(sql)
  })
  return { url: ardenUrl, adminUrl }
}

const ensureDatabase = async (sql: Sql): Promise<void> => {
  const [found] = await sql`SELECT 1 FROM pg_database WHERE datname = ${ARDEN}`
  if (found === undefined) await sql`CREATE DATABASE ${sql(ARDEN)} OWNER ${sql(ARDEN)}`
}

/**
 * In a folder of an earlier version, `arden` is the superuser that initdb created. That one cannot lose the attribute,
 * so it is renamed, and a new role `arden` with the same password becomes the owner of the database and its objects.
 * One transaction; the file is named last, so an interrupted start is repeated.
 */
const demoteArden = async (dir: string, ardenUrl: string, password: string): Promise<void> => {
  const file = superuserPasswordPath(dir)
  const unfinished = `${file}.new`
  if (!existsSync(unfinished)) await writeFile(unfinished, createPassword(), { mode: 0o600 })
  const superuserPassword = await readFile(unfinished, 'utf8')
  await withConnection(ardenUrl, async sql => {
    const [role] = await sql`SELECT rolsuper FROM pg_roles WHERE rolname = current_user`
    if (!role?.rolsuper) return
    await sql.begin(tx =>
      tx.unsafe(`
        -- A session cannot rename its own user.
        CREATE ROLE arden_upgrade SUPERUSER;
        SET SESSION AUTHORIZATION arden_upgrade;
        ALTER ROLE ${ARDEN} RENAME TO ${SUPERUSER};
        ALTER ROLE ${SUPERUSER} PASSWORD '${superuserPassword}';
        CREATE ROLE ${ARDEN} LOGIN PASSWORD '${password}';
        ALTER DATABASE ${ARDEN} OWNER TO ${ARDEN};
        ${CHANGE_OWNERS}
        RESET SESSION AUTHORIZATION;
        DROP ROLE arden_upgrade`),
    )
  })
  await rename(unfinished, file)
}

/** REASSIGN OWNED refuses the role that initdb created. A table takes its indexes, sequences and types with it. */
const CHANGE_OWNERS = `
  DO $$
  DECLARE
    statement text;
  BEGIN
    FOR statement IN
      SELECT format('ALTER TABLE %s OWNER TO ${ARDEN}', oid::regclass)
      FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
      UNION ALL
      SELECT format('ALTER ROUTINE %s OWNER TO ${ARDEN}', oid::regprocedure)
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    LOOP
      EXECUTE statement;
    END LOOP;
  END
  $$;`

const withConnection = async <T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = connect(url, { name: 'arden-start', max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

import type { Sql } from '../../src/db/connect'

/** What a running Arden can use of a schema: name to how it is used. */
type Schema = Map<string, string>

/** The tables' columns with what may be stored in them, and the functions with how they are called. */
const readSchema = async (sql: Sql): Promise<Schema> => {
  const rows = await sql<{ name: string; use: string }[]>`
    SELECT 'column ' || c.relname || '.' || a.attname AS name,
      format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' THEN ', required' ELSE '' END AS use
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
    UNION ALL
    SELECT 'function ' || oid::regprocedure, pg_get_function_result(oid)
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace`
  return new Map(rows.map(({ name, use }) => [name, use]))
}

/** Does `change`, and answers what it took away from those who know only the schema before it. */
export const lostBy = async (sql: Sql, change: () => Promise<unknown>): Promise<string[]> => {
  const before = await readSchema(sql)
  await change()
  const after = await readSchema(sql)
  const tables = new Set([...before.keys()].map(tableOf))
  const changed = [...before].flatMap(([name, use]) =>
    after.get(name) === use ? [] : [`${name} (${use}) is now ${after.get(name) ?? 'gone'}`],
  )
  const demanded = [...after].flatMap(([name, use]) =>
    !before.has(name) && tables.has(tableOf(name)) && use.endsWith(', required')
      ? [`${name} is new and ${use}`]
      : [],
  )
  return [...changed, ...demanded]
}

const tableOf = (name: string) => name.split('.')[0]

import type { Sql } from '../../../src/db/connect'

/** The objects of a schema that a running Arden can use. */
type Schema = {
  /** Name to what may be stored in it. */
  columns: Map<string, string>
  functions: DatabaseFunction[]
}

type DatabaseFunction = {
  name: string
  /** Types of its parameters. */
  parameters: string[]
  /** How many of the last ones have a default. */
  defaults: number
  result: string
}

const readSchema = async (sql: Sql): Promise<Schema> => {
  const columns = await sql<{ name: string; use: string }[]>`
    SELECT 'column ' || c.relname || '.' || a.attname AS name,
      format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' THEN ', required' ELSE '' END AS use
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')`
  const functions = await sql<DatabaseFunction[]>`
    SELECT proname AS name, pronargdefaults AS defaults, pg_get_function_result(oid) AS result,
      ARRAY(
        SELECT format_type(t.oid, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS t (oid, i) ORDER BY t.i
      ) AS parameters
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace`
  return { columns: new Map(columns.map(({ name, use }) => [name, use])), functions }
}

/** Makes `change`, and returns what it took away from processes that know only the schema before it. */
export const lostBy = async (sql: Sql, change: () => Promise<unknown>): Promise<string[]> => {
  const before = await readSchema(sql)
  await change()
  const after = await readSchema(sql)
  const tables = new Set([...before.columns.keys()].map(tableOf))
  const changed = [...before.columns].flatMap(([name, use]) =>
    after.columns.get(name) === use
      ? []
      : [`${name} (${use}) is now ${after.columns.get(name) ?? 'gone'}`],
  )
  const demanded = [...after.columns].flatMap(([name, use]) =>
    !before.columns.has(name) && tables.has(tableOf(name)) && use.endsWith(', required')
      ? [`${name} is new and ${use}`]
      : [],
  )
  const gone = before.functions
    .filter(one => !after.functions.some(other => canReplace(one, other)))
    .map(one => `function ${one.name}(${one.parameters.join(', ')}) (${one.result}) is now gone`)
  return [...changed, ...demanded, ...gone]
}

/** Whether each call of `one` is a call of `other` with the same result: new parameters have a default. */
const canReplace = (one: DatabaseFunction, other: DatabaseFunction): boolean =>
  one.name === other.name &&
  one.result === other.result &&
  one.parameters.every((type, index) => other.parameters[index] === type) &&
  other.parameters.length - other.defaults <= one.parameters.length - one.defaults

const tableOf = (name: string) => name.split('.')[0]

import { createHash } from 'node:crypto'
import type { Db } from './connect'
import { type DatabaseFunction, functions, GENERATION } from './functions'
import { type Migration, migrations } from './migrations'

/** The schema that a binary contains. */
export type Schema = {
  migrations: readonly Migration[]
  functions: readonly DatabaseFunction[]
  generation: number
}

export const OWN_SCHEMA: Schema = { migrations, functions, generation: GENERATION }

/** The schema of a database, compared with that of a binary. */
export type SchemaState = {
  /** Number of the newest migration that was applied; 0 for none. */
  version: number
  /** Generation of the functions that were applied; 0 for none. */
  generation: number
  /** Names of applied migrations that have another text in the binary. */
  changed: string[]
  /** Names of functions that were not applied, or with another text. */
  missing: string[]
  /** Names of functions that were applied and are not in the binary, each before those that it uses. */
  removed: string[]
  /** The database was created before the first release, by migrations that do not exist any more. */
  isPreRelease: boolean
}

/** SHA-256 of a text, recorded when it is applied. */
export const checksum = ({ text }: { text: string }): string =>
  createHash('sha256').update(text).digest('hex')

/**
 * Whether the schema has everything that this binary needs: a part of `/readyz` (contract 2.5). A newer schema does:
 * each version only adds to the one before it (docs/operations.md, Upgrade).
 */
export const isMigrated = async (db: Db): Promise<boolean> => {
  const state = await schemaState(db)
  return !state.isPreRelease && state.version >= migrations.length && state.generation >= GENERATION
}

export const schemaState = async (db: Db, own: Schema = OWN_SCHEMA): Promise<SchemaState> => {
  const applied = await readApplied(db)
  const checksums = new Map(applied.functions.map(one => [one.name, one.checksum]))
  const textOf = new Map(own.migrations.map(one => [one.version, one]))
  return {
    version: Math.max(0, ...applied.migrations.map(({ version }) => version)),
    generation: Math.max(0, ...applied.functions.map(({ generation }) => generation)),
    changed: applied.migrations.flatMap(({ version, name, checksum: recorded }) => {
      const ours = textOf.get(version)
      return ours === undefined || checksum(ours) === recorded ? [] : [name]
    }),
    missing: own.functions
      .filter(one => checksums.get(one.name) !== checksum(one))
      .map(({ name }) => name),
    removed: [...checksums.keys()].filter(name => own.functions.every(one => one.name !== name)),
    isPreRelease: applied.migrations.some(({ name }) => PRE_RELEASE.includes(name)),
  }
}

/** Tables of another application where Arden's would be, without those of extensions: where Arden has applied nothing. */
export const foreignTables = async (
  db: Db,
  { version, generation }: SchemaState,
): Promise<string[]> => {
  if (version + generation > 0) return []
  const rows = await db<{ name: string }[]>`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
      AND c.relkind IN ('r', 'p')
      AND NOT EXISTS (
        SELECT FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
      )
    ORDER BY c.relname LIMIT 3`
  return rows.map(({ name }) => name)
}

/** Migrations that 001_baseline.sql was made of, each of a database that has others of them. */
const PRE_RELEASE = ['001_init', '002_pause_changed', '003_invitation_email', '004_rank_runs']

type AppliedSteps = {
  migrations: { version: number; name: string; checksum: string | null }[]
  functions: { name: string; checksum: string; generation: number }[]
}

const readApplied = async (db: Db): Promise<AppliedSteps> => {
  const [tables] = await db<[{ migrations: boolean; functions: boolean }]>`
    SELECT (
        -- Other applications have a table of this name as well.
        SELECT count(*) = 2 FROM pg_attribute
        WHERE attrelid = to_regclass('migrations') AND attname IN ('version', 'name')
      ) AS migrations,
      to_regclass('applied_functions') IS NOT NULL AS functions`
  return {
    // As JSON: early pre-release databases have no column `checksum`.
    migrations: tables.migrations
      ? await db<AppliedSteps['migrations']>`
          SELECT version, name, to_jsonb(m) ->> 'checksum' AS checksum FROM migrations m ORDER BY version`
      : [],
    functions: tables.functions
      ? await db<AppliedSteps['functions']>`
          SELECT name, checksum, generation FROM applied_functions ORDER BY position DESC`
      : [],
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../errors'
import { applyFunctions } from './apply-functions'
import { isDatabaseUnavailable, isLockTimeout, type Sql, type Tx } from './connect'
import { applyRoleSettings } from './role-settings'
import {
  checksum,
  foreignTables,
  OWN_SCHEMA,
  type Schema,
  type SchemaState,
  schemaState,
} from './schema-state'

/** Any constant works; it has to be the same in every Arden process. */
const ADVISORY_LOCK = 4_170_511
/**
 * A statement that waits for a table blocks all statements on that table after it. So a migration waits no longer than
 * this, in ms, then lets the others pass and is tried again.
 */
const LOCK_WAIT_MS = 1_000
const RETRY_MS = 2_000
/** How long a blocked migration is retried, in ms. Afterwards an operator has to end the blocking transaction. */
const PATIENCE_MS = 10 * 60_000
/** Interval between checks whether another process has finished migrating, in ms. */
const BUSY_MS = 200

type MigrateOptions = {
  /** Called with a sentence for each thing it waits for, once. */
  say?: (line: string) => void
  own?: Partial<Schema>
  patienceMs?: number
  /** Leaves a newer database as it is, instead of throwing: this binary is that of a return to the version before. */
  acceptNewer?: boolean
}

/**
 * Brings the schema up to this binary's version: first the numbered migrations, a transaction each, then the functions
 * and the settings of the role, all in one. Each transaction takes an advisory lock and then reads what is next, so
 * processes that start together apply each step once, and no session is needed for longer than a transaction. Returns
 * the names of what this process applied.
 * @throws {StartError} when the database is newer than this binary (unless `acceptNewer`) or older than the first
 * release, when an applied migration was changed, when a step fails, or when a table stays locked for `patienceMs`.
 */
export const migrate = async (sql: Sql, options: MigrateOptions = {}): Promise<string[]> => {
  const { say = () => {}, patienceMs = PATIENCE_MS, acceptNewer = false } = options
  const own = { ...OWN_SCHEMA, ...options.own }
  const applied: string[] = []
  const said = new Set<string>()
  const sayOnce = (line: string) => {
    if (!said.has(line)) say(line)
    said.add(line)
  }
  let blockedSince: number | undefined
  for (;;) {
    try {
      const next = await sql.begin(tx => applyNext(tx, own, acceptNewer ? say : undefined))
      if (next === 'busy') {
        sayOnce('Another process is migrating this database; waiting for it.')
        await sleep(BUSY_MS)
      } else {
        if (next.length === 0) return applied
        applied.push(...next)
        blockedSince = undefined
      }
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      blockedSince ??= performance.now()
      if (performance.now() - blockedSince > patienceMs)
        throw new StartError(
          `A migration could not lock its table for ${patienceMs / 1000} s, because another transaction has locked it${await oldestTransaction(sql)}. What was applied before it is kept. End that transaction, or wait for it, and run \`arden migrate\` again.`,
        )
      sayOnce(
        'Another transaction has locked a table that a migration changes. The migration lets other statements pass and tries again until the table is free.',
      )
      await sleep(RETRY_MS)
    }
  }
}

/**
 * Applies the next migration, or all functions after the last one. Returns their names; none when all is applied. A
 * newer database is left as it is, which `onNewer` says; without it, that is an error.
 */
const applyNext = async (
  tx: Tx,
  own: Schema,
  onNewer: ((line: string) => void) | undefined,
): Promise<string[] | 'busy'> => {
  await tx`SELECT set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`
  const [lock] = await tx<[{ ours: boolean }]>`
    SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS ours`
  if (!lock.ours) return 'busy'
  const state = await schemaState(tx, own)
  const isNewer = checkState(state, own, onNewer !== undefined)
  if (isNewer) {
    onNewer?.(
      `The database is newer than this Arden: at schema version ${state.version}.${state.generation}, and this Arden has ${own.migrations.length}.${own.generation}. Nothing was changed; serve and worker run on it if it is at most one version newer.`,
    )
    return []
  }
  const next = own.migrations[state.version]
  if (next === undefined) {
    await applyRoleSettings(tx)
    return applyFunctions(tx, own, state)
  }

  await checkOwnDatabase(tx, state)
  await createTables(tx)
  await tx.unsafe(next.text).catch(error => {
    if (isLockTimeout(error) || isDatabaseUnavailable(error)) throw error
    throw new StartError(
      `The migration ${next.name} failed: ${error.message}. Nothing of it was kept, the schema stays at version ${state.version}, and the version of Arden that ran before still works with it. Fix the cause and run \`arden migrate\` again.`,
    )
  })
  await tx`
    INSERT INTO migrations (version, name, checksum)
    VALUES (${next.version}, ${next.name}, ${checksum(next)})`
  return [next.name]
}

const GO_BACK =
  'Nothing was changed. To go back by one version, run `arden migrate --accept-newer`, and start `serve` and `worker` of this Arden: they run on it as it is. Otherwise use the newer version.'

/**
 * Whether the database is newer than this binary, where that is accepted.
 * @throws {StartError} when this binary must not change the schema.
 */
const checkState = (state: SchemaState, own: Schema, acceptNewer: boolean): boolean => {
  const { version, generation, changed, isPreRelease } = state
  if (isPreRelease)
    throw new StartError(
      `The database was created by an Arden from before the first release (schema version ${version}), whose migrations were replaced by one baseline, so it cannot be upgraded. Nothing was changed. Set DATABASE_URL to an empty database, move the data folder of a \`dev\` away (ARDEN_DATA_DIR), or restore a backup that this Arden made.`,
    )
  if (version > own.migrations.length && !acceptNewer)
    throw new StartError(
      `The database is at schema version ${version}, and this Arden knows ${own.migrations.length}. ${GO_BACK}`,
    )
  if (generation > own.generation && !acceptNewer)
    throw new StartError(
      `The database has functions of generation ${generation}, and this Arden knows ${own.generation}. ${GO_BACK}`,
    )
  if (changed.length > 0)
    throw new StartError(
      `The database was migrated with a different version of ${changed.join(', ')} than this Arden has, so its schema is unknown. Nothing was changed. Use the version of Arden that migrated it, or restore a backup; the data folder of a \`dev\` can be moved away.`,
    )
  return version > own.migrations.length || generation > own.generation
}

/** @throws {StartError} where there are tables already: a wrong name in DATABASE_URL would mix two applications. */
const checkOwnDatabase = async (tx: Tx, state: SchemaState): Promise<void> => {
  const tables = await foreignTables(tx, state)
  if (tables.length > 0)
    throw new StartError(
      `The database has tables (${tables.join(', ')}), and no record that Arden created them: it needs a database of its own. Nothing was changed. Check the name of the database in DATABASE_URL.`,
    )
}

/** The tables that record what was applied. */
const createTables = async (tx: Tx): Promise<void> => {
  await tx`
    CREATE TABLE IF NOT EXISTS migrations (
      version int PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`
  await tx`
    CREATE TABLE IF NOT EXISTS applied_functions (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      -- In the order of dependency.
      position int NOT NULL,
      generation int NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`
}

/** The process that the oldest transaction belongs to, as far as this user may see it. */
const oldestTransaction = async (sql: Sql): Promise<string> => {
  const [oldest] = await sql<{ pid: number; name: string; seconds: number }[]>`
    SELECT pid, application_name AS name,
      extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND xact_start IS NOT NULL AND backend_type = 'client backend'
    ORDER BY xact_start LIMIT 1`.catch(() => [])
  return oldest === undefined
    ? ''
    : ` (the oldest one is that of process ${oldest.pid}, "${oldest.name}", ${oldest.seconds} s old)`
}

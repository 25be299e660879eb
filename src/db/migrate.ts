import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../errors'
import { isDatabaseUnavailable, isLockTimeout, type Sql, type Tx } from './connect'
import { type Migration, migrations } from './migrations'
import { checksum, hasChecksums, schemaState } from './schema-state'

/** Any constant will do; it only has to be the same in every Arden process. */
const ADVISORY_LOCK = 4_170_511
/**
 * A statement that waits for a table holds up everybody who comes to that table after it. So a migration
 * waits for no longer than this, in ms, then lets the others pass and is tried again.
 */
const LOCK_WAIT_MS = 1_000
const RETRY_MS = 2_000
/** How long it is tried, in ms, before somebody has to look who holds the table. */
const PATIENCE_MS = 10 * 60_000
/** How often one looks whether the other process is done, in ms. */
const BUSY_MS = 200

export type MigrateOptions = {
  /** Told in a sentence what it waits for, once. */
  say?: (line: string) => void
  known?: readonly Migration[]
  patienceMs?: number
}

/**
 * Brings the schema up to this binary's version. Each migration is a transaction, which takes an advisory
 * lock and then looks what is next: processes that start together apply each one once, and a session is
 * never needed for longer than a transaction. Answers the names of those this process applied.
 * @throws {StartError} when the database is newer than this binary, when an applied migration was changed,
 * when one fails, or when a table stays locked for `patienceMs`.
 */
export const migrate = async (sql: Sql, options: MigrateOptions = {}): Promise<string[]> => {
  const { say = () => {}, known = migrations, patienceMs = PATIENCE_MS } = options
  const applied: string[] = []
  const told = new Set<string>()
  const tellOnce = (line: string) => {
    if (!told.has(line)) say(line)
    told.add(line)
  }
  let heldUpSince: number | undefined
  for (;;) {
    try {
      const next = await sql.begin(tx => applyNext(tx, known))
      if (next === 'none') return applied
      if (next === 'busy') {
        tellOnce('Another process is migrating this database; waiting for it.')
        await sleep(BUSY_MS)
      } else {
        applied.push(next.name)
        heldUpSince = undefined
      }
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      heldUpSince ??= performance.now()
      if (performance.now() - heldUpSince > patienceMs)
        throw new StartError(
          `A migration could not lock its table for ${patienceMs / 1000} s, because another transaction holds it${await oldestTransaction(sql)}. What was applied before it stays. End that transaction, or wait for it, and run \`arden migrate\` again.`,
        )
      tellOnce(
        'A transaction holds a table that a migration changes. The migration lets others pass and tries again until it is free.',
      )
      await sleep(RETRY_MS)
    }
  }
}

/** Applies one migration, while no other process does: all of this is one transaction. */
const applyNext = async (
  tx: Tx,
  known: readonly Migration[],
): Promise<Migration | 'none' | 'busy'> => {
  await tx`SELECT set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`
  const [lock] = await tx<[{ ours: boolean }]>`
    SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS ours`
  if (!lock.ours) return 'busy'
  await prepareTable(tx, known)

  const { version, changed } = await schemaState(tx, known)
  if (version > known.length)
    throw new StartError(
      `The database is at schema version ${version}, and this Arden knows ${known.length}. Nothing was changed. Migrate with the newer Arden that brought it there, or restore a backup.`,
    )
  if (changed.length > 0)
    throw new StartError(
      `The database was migrated with another text of ${changed.join(', ')} than this Arden has, so what its schema looks like is not known. Nothing was changed. Use the Arden that migrated it, or restore a backup; the data folder of a \`dev\` can be moved away.`,
    )
  const next = known[version]
  if (next === undefined) return 'none'
  await tx.unsafe(next.text).catch(error => {
    if (isLockTimeout(error) || isDatabaseUnavailable(error)) throw error
    throw new StartError(
      `The migration ${next.name} failed: ${error.message}. Nothing of it was kept, the schema stays at version ${version}, and the Arden that ran before goes on with it. Mend the cause and run \`arden migrate\` again.`,
    )
  })
  await tx`
    INSERT INTO migrations (version, name, checksum)
    VALUES (${next.version}, ${next.name}, ${checksum(next)})`
  return next
}

/** A database from before there were checksums gets those of this binary. */
const prepareTable = async (tx: Tx, known: readonly Migration[]): Promise<void> => {
  await tx`
    CREATE TABLE IF NOT EXISTS migrations (
      version int PRIMARY KEY,
      name text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`
  // Asked first: ALTER TABLE would lock the table, which /readyz reads, at each run.
  if (await hasChecksums(tx)) return
  await tx`ALTER TABLE migrations ADD COLUMN checksum text`
  for (const one of known)
    await tx`UPDATE migrations SET checksum = ${checksum(one)} WHERE version = ${one.version}`
}

/** Whose it is, as far as this user may see it. */
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

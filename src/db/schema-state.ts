import { createHash } from 'node:crypto'
import type { Db } from './connect'
import { type Migration, migrations } from './migrations'

/** How the schema of a database stands to the migrations of this binary. */
export type SchemaState = {
  /** Of the newest migration that was applied; 0 for none. */
  version: number
  /** Names of the applied migrations whose text is another one in this binary. */
  changed: string[]
}

/** SHA-256 of a migration's text, kept with it when it is applied. */
export const checksum = ({ text }: Migration): string =>
  createHash('sha256').update(text).digest('hex')

/**
 * Whether the schema has all that this binary needs: the second half of `/readyz` (contract 1.1). A newer one
 * has, too: migrations only add, until no version runs that needs what goes (docs/operations.md, Upgrade).
 */
export const isMigrated = async (db: Db): Promise<boolean> =>
  (await schemaVersion(db)) >= migrations.length

export const schemaState = async (
  db: Db,
  known: readonly Migration[] = migrations,
): Promise<SchemaState> => {
  const version = await schemaVersion(db)
  if (!(await hasChecksums(db))) return { version, changed: [] }
  const rows = await db<{ version: number; checksum: string | null }[]>`
    SELECT version, checksum FROM migrations`
  const kept = new Map(rows.map(row => [row.version, row.checksum]))
  const changed = known.filter(one => (kept.get(one.version) ?? checksum(one)) !== checksum(one))
  return { version, changed: changed.map(({ name }) => name) }
}

/** Databases that were migrated before there were checksums get them with the next `arden migrate`. */
export const hasChecksums = async (db: Db): Promise<boolean> => {
  const [column] = await db`
    SELECT FROM pg_attribute
    WHERE attrelid = to_regclass('migrations') AND attname = 'checksum' AND NOT attisdropped`
  return column !== undefined
}

const schemaVersion = async (db: Db): Promise<number> => {
  const [table] = await db<[{ present: boolean }]>`
    SELECT to_regclass('migrations') IS NOT NULL AS present`
  if (!table.present) return 0
  const [row] = await db<[{ version: number }]>`
    SELECT coalesce(max(version), 0) AS version FROM migrations`
  return row.version
}

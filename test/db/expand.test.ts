import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { functions } from '../../src/db/functions'
import { migrate } from '../../src/db/migrate'
import { migrations } from '../../src/db/migrations'
import { useDatabase } from '../support/database'
import { checkOut, previousVersion } from '../support/db/previous-version'
import { lostBy } from '../support/db/schema'

/**
 * Expand, then contract (docs/operations.md, "Upgrade"): a version takes nothing away from the version before it, and
 * blocks no large table.
 */

/** The migration that every database begins with. */
const BASELINE = 1
/** Removals that are permitted because nothing uses the object: its name as reported, and the last version that did. */
const CONTRACTED: Record<string, string> = {}
/** Without functions: they are compared with the previous version as they are. */
const tables = (version: number) => ({ migrations: migrations.slice(0, version), functions: [] })
/** Postgres's oldest version that Arden supports; and `migrate` gives each a transaction and a lock_timeout. */
const LINT = ['--pg-version=15.0', '--assume-in-transaction', '--reporter=gcc']
const NOT_LINTED = [
  // `migrate` sets the first for all. A time limit would end the ones that need long.
  'require-lock-timeout',
  'require-statement-timeout',
  // Whether a number can grow that far is its column's matter.
  'prefer-bigint-over-int',
]

const previous = await previousVersion()

const { sql: migrated } = await useDatabase({ connections: 1 })
const empty = async () => (await useDatabase({ unmigrated: true, connections: 2 })).sql

/** The objects that `change` removes from a migrated database. The database itself is not changed. */
const lostByChange = async (change: string): Promise<string[]> => {
  await migrated`BEGIN`
  try {
    return await lostBy(migrated, () => migrated.unsafe(change))
  } finally {
    await migrated`ROLLBACK`
  }
}

test('no migration since the baseline takes away what the version before it uses', async () => {
  const sql = await empty()
  await migrate(sql, { own: tables(BASELINE) })
  for (const { version, name } of migrations.slice(BASELINE)) {
    const lost = await lostBy(sql, () => migrate(sql, { own: tables(version) }))
    expect([name, lost.filter(what => CONTRACTED[what] === undefined)]).toEqual([name, []])
  }
})

test.skipIf(previous === undefined)(
  'neither migrations nor functions take away what the previous version uses',
  async () => {
    const dir = await checkOut(previous ?? '')
    const before: { migrate: typeof migrate } = await import(join(dir, 'src/db/migrate.ts'))
    const sql = await empty()
    await before.migrate(sql)
    const lost = await lostBy(sql, () => migrate(sql))
    expect(lost.filter(what => CONTRACTED[what] === undefined)).toEqual([])
    await rm(dir, { recursive: true })
  },
)

test('a migration defines no function, view or trigger, and uses none', () => {
  const names = functions.map(({ name }) => name).join('|')
  const forbidden = new RegExp(`\\b(function|procedure|view|trigger|${names})\\b`, 'i')
  const found = migrations.flatMap(({ name, text }) =>
    text
      .replaceAll(/--.*$/gm, '')
      .split('\n')
      .filter(line => forbidden.test(line))
      .map(line => `${name}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})

test.each([
  [
    'ALTER TABLE webhooks DROP COLUMN events',
    'column webhooks.events (text[], required) is now gone',
  ],
  ['ALTER TABLE webhooks RENAME TO hooks', 'column webhooks.id (text, required) is now gone'],
  [
    'ALTER TABLE keywords ALTER COLUMN country TYPE varchar(9)',
    'column keywords.country (text, required) is now character varying(9)',
  ],
  [
    'ALTER TABLE webhooks ALTER COLUMN description SET NOT NULL',
    'column webhooks.description (text) is now text, required',
  ],
  [
    'ALTER TABLE attempts ADD COLUMN host text NOT NULL',
    'column attempts.host is new and text, required',
  ],
  [
    'DROP FUNCTION usage_month',
    'function usage_month(timestamp with time zone) (date) is now gone',
  ],
  [
    'DROP FUNCTION usage_month; CREATE FUNCTION usage_month(at timestamptz) RETURNS text RETURN at',
    'function usage_month(timestamp with time zone) (date) is now gone',
  ],
  [
    'DROP FUNCTION usage_month; CREATE FUNCTION usage_month(timestamptz, int) RETURNS date RETURN NULL::date',
    'function usage_month(timestamp with time zone) (date) is now gone',
  ],
])('that would be found: %s', async (change, found) => {
  expect(await lostByChange(change)).toContainEqual(expect.stringContaining(found))
})

test('what only adds takes nothing away', async () => {
  const change = `
    ALTER TABLE attempts ADD COLUMN host text NOT NULL DEFAULT '';
    CREATE TABLE later (id text PRIMARY KEY);
    CREATE FUNCTION later() RETURNS int RETURN 1;
    DROP FUNCTION usage_month;
    CREATE FUNCTION usage_month(timestamptz, int DEFAULT 0) RETURNS date RETURN NULL::date`
  expect(await lostByChange(change)).toEqual([])
})

test('functions that forbid sequential scans are not compiled: it took seconds before PostgreSQL 18', async () => {
  const compiled = await migrated`
    SELECT proname FROM pg_proc
    WHERE 'enable_seqscan=off' = ANY (proconfig) AND NOT 'jit=off' = ANY (proconfig)`
  expect([...compiled]).toEqual([])
})

/** A linter's complaints, a line each. Those that are meant are marked in the migration itself, with why. */
const lint = async (files: string[]) => {
  const run = Bun.spawn(
    [
      ...[process.execPath, 'x', '--bun', '--no-install', 'squawk'],
      ...LINT,
      `--exclude=${NOT_LINTED.join(',')}`,
      ...files,
    ],
    { env: { ...process.env, NO_COLOR: '1' }, stdout: 'pipe', stderr: 'pipe' },
  )
  const [out, errors] = await Promise.all([run.stdout.text(), run.stderr.text()])
  expect(await run.exited, errors).toBeLessThan(2)
  return out.split('\n').filter(line => /: (warning|error): /.test(line))
}

test('no migration since the baseline locks a table for a time that grows with its size', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'arden-lint-'))
  const write = async (name: string, text: string) => {
    await writeFile(join(dir, name), text)
    return join(dir, name)
  }
  const files = await Promise.all(
    migrations.slice(BASELINE).map(({ name, text }) => write(`${name}.sql`, text)),
  )
  const bad = await write('bad.sql', 'CREATE INDEX slow ON deliveries (created_at);')
  const complaints = await lint([...files, bad])
  expect(complaints.filter(line => line.includes('bad.sql'))).toHaveLength(1)
  expect(complaints.filter(line => !line.includes('bad.sql'))).toEqual([])
})

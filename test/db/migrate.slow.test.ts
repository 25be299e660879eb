import { afterEach, beforeEach, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect'
import { functions, GENERATION } from '../../src/db/functions'
import { migrate } from '../../src/db/migrate'
import { type Migration, migrations } from '../../src/db/migrations'
import { isMigrated, schemaState } from '../../src/db/schema-state'
import { createDatabase } from '../support/database'
import { runArden, spawnArden } from '../support/process'
import { settled } from '../support/settled'
import { LATE_MS, until } from '../support/until'

const NAMES = [...migrations, ...functions].map(({ name }) => name)
const KEY = 'a'.repeat(64)

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
beforeEach(async () => {
  database = await createDatabase({ unmigrated: true })
  sql = connect(database.url, { name: 'test', max: 4 })
})
afterEach(async () => {
  await sql.end()
  await database.drop()
})

/** This binary's schema with one migration more. */
const next = (text: string): { migrations: Migration[] } => ({
  migrations: [...migrations, { version: migrations.length + 1, name: 'next', text }],
})
const arden = (...args: string[]) =>
  runArden(args, { DATABASE_URL: database.url, ARDEN_ENCRYPTION_KEY: KEY })

test('processes that migrate at the same time apply each migration and function once', async () => {
  const runs = await Promise.all(Array.from({ length: 3 }, () => arden('migrate')))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
  const applied = runs.flatMap(
    ({ stdout }) => /^Applied (.*)\.$/m.exec(stdout)?.[1]?.split(', ') ?? [],
  )
  expect(applied.sort()).toEqual(NAMES.toSorted())
  expect(await schemaState(sql)).toMatchObject({
    version: migrations.length,
    generation: GENERATION,
    changed: [],
    missing: [],
    removed: [],
  })
  expect(await arden('migrate')).toMatchObject({ stdout: 'There is nothing to apply.\n', code: 0 })
})

test('one that waits for another process that migrates says so, and goes on after it', async () => {
  const said: string[] = []
  const done = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const other = sql.begin(async tx => {
    await tx`SELECT pg_advisory_xact_lock(4170511)`
    locked.resolve()
    await done.promise
  })
  await locked.promise
  const migrating = migrate(sql, { say: line => said.push(line) })
  await until('it says so', () => said[0])
  expect(said).toEqual(['Another process is migrating this database; waiting for it.'])
  expect(await isMigrated(sql)).toBe(false)
  done.resolve()
  await other
  expect(await migrating).toEqual(NAMES)
})

test('a database newer than Arden is refused by migrate, and used by serve: an upgrade is under way', async () => {
  await migrate(sql, { own: next('CREATE TABLE later ()') })
  const refused = await arden('migrate')
  expect(refused).toMatchObject({ stdout: '', code: 1 })
  expect(refused.stderr).toMatch(
    /^arden: The database is at schema version \d+, and this Arden knows \d+\. Nothing was changed\. .*\n$/,
  )
  const serve = await spawnArden('serve', {
    DATABASE_URL: database.url,
    ARDEN_ENCRYPTION_KEY: KEY,
    PORT: '0',
    HOST: '127.0.0.1',
  })
  expect((await fetch(`${serve.url}/readyz`)).status).toBe(200)
  await serve.kill('SIGTERM')
})

test('a newer database is left as it is with --accept-newer: the way back to the version before', async () => {
  await migrate(sql, { own: next('CREATE TABLE later ()') })
  const refused = await arden('migrate')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('To go back by one version, run `arden migrate --accept-newer`'),
  ])
  const accepted = await arden('migrate', '--accept-newer')
  expect(accepted).toMatchObject({ stdout: 'There is nothing to apply.\n', code: 0 })
  expect(accepted.stderr).toMatch(
    /^The database is newer than this Arden: at schema version \d+\.\d+, and this Arden has \d+\.\d+\. Nothing was changed; .*\n$/,
  )
  await sql`UPDATE migrations SET checksum = 'of another text' WHERE version = 1`
  expect((await arden('migrate', '--accept-newer')).code).toBe(1)
})

test('an applied migration whose text was changed is refused by name', async () => {
  await migrate(sql)
  await sql`UPDATE migrations SET checksum = 'of another text' WHERE version = 1`
  const { code, stderr } = await arden('migrate')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`a different version of ${NAMES[0]} than`),
  ])
})

test('a database from before the first release is refused, and says what to do', async () => {
  await sql`CREATE TABLE migrations (version int PRIMARY KEY, name text NOT NULL)`
  for (let version = 1; version <= 19; version++)
    await sql`
      INSERT INTO migrations VALUES (${version}, ${version === 1 ? '001_init' : `${version}_more`})`
  expect(await arden('migrate')).toEqual({
    stdout: '',
    stderr:
      'arden: The database was created by an Arden from before the first release (schema version 19), whose migrations were replaced by one baseline, so it cannot be upgraded. Nothing was changed. Set DATABASE_URL to an empty database, move the data folder of a `dev` away (ARDEN_DATA_DIR), or restore a backup that this Arden made.\n',
    code: 1,
  })
  expect(await isMigrated(sql)).toBe(false)
})

test('one that fails leaves nothing of itself and all before it, and says why', async () => {
  await migrate(sql)
  const own = next('CREATE TABLE half (); SELECT 1 / 0')
  expect(await settled(migrate(sql, { own }))).toThrow(
    `The migration next failed: division by zero. Nothing of it was kept, the schema stays at version ${migrations.length}`,
  )
  const [table] = await sql`SELECT to_regclass('half') AS half`
  expect(table?.half).toBeNull()
  expect(await isMigrated(sql)).toBe(true)
  expect(await migrate(sql, { own: next('CREATE TABLE whole ()') })).toEqual(['next'])
})

test('one that has to wait for a table lets other statements pass, and is applied when the table is free', async () => {
  await migrate(sql)
  const done = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = sql.begin(async tx => {
    await tx`SELECT count(*) FROM deliveries`
    locked.resolve()
    await done.promise
  })
  await locked.promise
  const own = next('ALTER TABLE deliveries ADD COLUMN later text')
  expect(await settled(migrate(sql, { own, patienceMs: 0 }))).toThrow(
    /could not lock its table .* process \d+, "test", \d+ s old\)\..* run `arden migrate` again/,
  )

  const said: string[] = []
  const migrating = migrate(sql, { own, say: line => said.push(line) })
  const waiter = () => sql`SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`
  await until('it waits for the table', async () => (await waiter()).length > 0)
  const began = performance.now()
  await sql`SELECT count(*) FROM deliveries`
  const waited = performance.now() - began
  expect(waited).toBeLessThan(3_000 + LATE_MS)
  done.resolve()
  await holding
  expect(await migrating).toEqual(['next'])
  expect(said).toEqual([expect.stringContaining('lets other statements pass')])
})

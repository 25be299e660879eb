import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Sql } from '../../src/db/connect'
import { type DatabaseFunction, functions, GENERATION } from '../../src/db/functions'
import { migrate } from '../../src/db/migrate'
import { migrations } from '../../src/db/migrations'
import { isMigrated, schemaState } from '../../src/db/schema-state'
import { createDatabase } from '../support/database'
import { git, newestRaise } from '../support/db/previous-version'
import { settled } from '../support/settled'

const ROOT = join(import.meta.dir, '../..')
const INDEX = 'src/db/functions/index.ts'

const raise = await newestRaise()

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
beforeEach(async () => {
  database = await createDatabase({ unmigrated: true })
  sql = connect(database.url, { name: 'test', max: 2 })
})
afterEach(async () => {
  await sql.end()
  await database.drop()
})

const number = (result = 'int', parameters = ''): DatabaseFunction => ({
  name: 'number',
  text: `-- number2 is no other function.
    CREATE OR REPLACE FUNCTION number(${parameters}) RETURNS ${result} LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$`,
})
const numbers = (columns = 'number() AS n'): DatabaseFunction => ({
  name: 'numbers',
  text: `CREATE OR REPLACE VIEW numbers AS SELECT ${columns}`,
})
const readNumbers: DatabaseFunction = {
  name: 'read_numbers',
  text: `CREATE OR REPLACE FUNCTION read_numbers() RETURNS SETOF numbers LANGUAGE plpgsql AS $$
    BEGIN RETURN QUERY SELECT * FROM numbers; END $$`,
}
const onProjects: DatabaseFunction = {
  name: 'on_projects',
  text: `CREATE OR REPLACE FUNCTION on_projects() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE OR REPLACE TRIGGER on_projects BEFORE INSERT ON projects FOR EACH STATEMENT EXECUTE FUNCTION on_projects()`,
}
const ALL = [number(), numbers(), readNumbers, onProjects]

/** Migrates to these functions and no others. */
const apply = (list: DatabaseFunction[], generation = GENERATION) =>
  migrate(sql, { own: { functions: list, generation } })
const read = async () => (await sql<{ n: unknown }[]>`SELECT n FROM read_numbers()`)[0]?.n

describe('a function', () => {
  test('whose text has changed is replaced in place, and those that use it are replaced, too', async () => {
    expect(await apply(ALL)).toEqual([
      ...migrations.map(({ name }) => name),
      ...ALL.map(({ name }) => name),
    ])
    const oid = async () => (await sql`SELECT 'number'::regproc::oid AS oid`)[0]?.oid
    const before = await oid()
    const two = { ...number(), text: number().text.replace('RETURN 1', 'RETURN 2') }
    expect(await apply([two, ...ALL.slice(1)])).toEqual(['number', 'numbers', 'read_numbers'])
    expect([await read(), await oid()]).toEqual([2, before])
    expect(await apply([two, ...ALL.slice(1)])).toEqual([])
  })

  test('whose result has another type is created again, with those that use it', async () => {
    await apply(ALL)
    expect(await read()).toBe(1)
    expect(await apply([number('text'), ...ALL.slice(1)])).toEqual([
      'number',
      'numbers',
      'read_numbers',
    ])
    expect(await read()).toBe('1')
  })

  test('with a new parameter that has a default replaces the one before, for running processes as well', async () => {
    await apply(ALL)
    expect(await read()).toBe(1)
    await apply([number('int', 'more int DEFAULT 0'), ...ALL.slice(1)])
    expect(await read()).toBe(1)
    expect(await sql`SELECT FROM pg_proc WHERE proname = 'number'`).toHaveLength(1)
  })

  test('that reads a view goes on when the view gets or loses a column', async () => {
    await apply(ALL)
    expect(await read()).toBe(1)
    await apply([number(), numbers('number() AS n, 2 AS more'), ...ALL.slice(2)])
    expect(await read()).toBe(1)
    await apply([number(), numbers('3 AS n'), ...ALL.slice(2)])
    expect(await read()).toBe(3)
  })

  test('that is not listed any more is dropped with its triggers, and those that used it', async () => {
    await apply(ALL)
    expect(await apply([number()])).toEqual([
      'on_projects (dropped)',
      'read_numbers (dropped)',
      'numbers (dropped)',
    ])
    const left = await sql`SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace`
    expect([...left]).toEqual([{ proname: 'number' }])
    expect(
      await schemaState(sql, { migrations: [], functions: [number()], generation: 1 }),
    ).toEqual(expect.objectContaining({ missing: [], removed: [] }))
  })

  test('that fails changes nothing, and is named', async () => {
    await apply(ALL)
    const broken = {
      ...onProjects,
      text: 'CREATE OR REPLACE FUNCTION on_projects() RETURNS nothing',
    }
    expect(await settled(apply([number('text'), numbers(), readNumbers, broken]))).toThrow(
      /^The function on_projects failed: .* Nothing was changed, .* run `arden migrate` again\.$/,
    )
    expect(await read()).toBe(1)
    expect(await apply(ALL)).toEqual([])
  })
})

describe('functions that a newer version has applied', () => {
  test('are left alone by `arden migrate` of an older one, though the migrations are the same', async () => {
    await apply(ALL, 2)
    expect(await settled(apply([number('text')], 1))).toThrow(
      'The database has functions of generation 2, and this Arden knows 1. Nothing was changed.',
    )
    expect(await read()).toBe(1)
  })

  test('are newer even where the newer version has only removed or restored some', async () => {
    await apply(ALL, 1)
    expect(await apply(ALL, 2)).toEqual([])
    expect(await settled(apply(ALL, 1))).toThrow('generation 2')
  })

  test('are enough for `serve` and `worker`; older ones are not', async () => {
    await apply([...functions], GENERATION - 1)
    expect(await isMigrated(sql)).toBe(false)
    await apply([...functions], GENERATION + 1)
    expect(await isMigrated(sql)).toBe(true)
  })
})

describe('the files', () => {
  const code = ({ text }: DatabaseFunction) => text.replaceAll(/--.*$/gm, '')

  test('are all listed, and each defines the function or view that it is named after', async () => {
    const files = await readdir(join(ROOT, 'src/db/functions'))
    const names = functions.map(({ name }) => `${name}.sql`)
    expect(files.filter(name => name.endsWith('.sql')).sort()).toEqual(names.toSorted())
    for (const one of functions)
      expect(code(one).match(/(?<=\bCREATE OR REPLACE (FUNCTION|VIEW) )\w+/g)).toEqual([one.name])
  })

  test('use only what is listed before them', () => {
    for (const [index, one] of functions.entries())
      for (const later of functions.slice(index + 1))
        expect(code(one)).not.toMatch(new RegExp(`\\b${later.name}\\b`))
  })

  test('begin with what they do, who calls them and what they lock', () => {
    for (const { name, text } of functions)
      expect([name, text]).toEqual([name, expect.stringMatching(/^-- .*(?:\n--.*)*Contract: \d/s)])
  })

  test('name callers in TypeScript that exist', async () => {
    const sources = await Array.fromAsync(new Bun.Glob('src/**/*.ts').scan({ cwd: ROOT }), file =>
      Bun.file(join(ROOT, file)).text(),
    )
    for (const { name, text } of functions)
      for (const [, callers = ''] of text.matchAll(/(?:Called|Read) by: (.*?)(?:\. |\.$)/gms))
        for (const [caller] of callers.matchAll(/\b[a-z]+[A-Z]\w+/g))
          expect([name, caller, sources.some(one => one.includes(`const ${caller}`))]).toEqual([
            name,
            caller,
            true,
          ])
  })

  test.skipIf(raise === undefined)(
    'have not changed since the commit that last raised the generation',
    async () => {
      const committed = await git(['show', `HEAD:${INDEX}`])
      if (!committed?.includes(`export const GENERATION: number = ${GENERATION}\n`)) return
      const changed = await git([
        'diff',
        '--name-only',
        raise ?? '',
        '--',
        'src/db/functions/*.sql',
      ])
      expect(changed, `Raise GENERATION in ${INDEX}`).toBe('')
    },
  )
})

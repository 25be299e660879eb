import { expect, test } from 'bun:test'
import { listArticles } from '../../src/content/articles/store'
import { listKeywords } from '../../src/content/keywords/store'
import { listProjects } from '../../src/content/projects/store'
import { folded } from '../../src/db/contains'
import { foldLetters } from '../../src/letters'
import { createCaller } from '../support/caller'
import { useDatabase } from '../support/database'
import { rowsRead } from '../support/db/rows-read'
import { fc } from '../support/property'

/** Contract 1.12. */

const { sql } = await useDatabase({ connections: 1 })

test('every character stands for itself, and pages have every record that has the text', async () => {
  const caller = await createCaller(sql)
  const text = (minLength: number, maxLength: number) =>
    fc.string({
      unit: fc.constantFrom(...'aAbeé%_\\\'"É$*.?[(|^~東한하ガカ≠= '),
      minLength,
      maxLength,
    })
  await fc.assert(
    fc.asyncProperty(
      fc.array(text(1, 6), { minLength: 1, maxLength: 12 }),
      text(1, 3),
      fc.integer({ min: 1, max: 4 }),
      async (names, wanted, limit) => {
        await sql`DELETE FROM projects WHERE account_id = ${caller.accountId}`
        await sql`INSERT INTO projects ${sql(
          names.map((name, n) => ({
            id: `prj_${String(n).padStart(26, '0')}`,
            account_id: caller.accountId,
            mode: caller.mode,
            name,
            language: 'en',
          })),
        )}`
        const found: string[] = []
        for (let before: string | null = null; ; ) {
          const page = await listProjects(sql, caller, { search: wanted }, { limit, before })
          found.push(...page.rows.map(({ name }) => name))
          before = page.next
          if (before === null) break
        }
        const words = foldLetters(wanted).trim().split(/ +/)
        const has = (name: string) => words.every(word => foldLetters(name).includes(word))
        expect(found).toEqual(names.filter(has).reverse())
      },
    ),
  )
})

test('SQL folds each letter as the program does', async () => {
  const letters = Array.from({ length: 0x2500 - 0xa0 }, (_, n) => String.fromCodePoint(0xa0 + n))
  const rows = await sql<{ letter: string; text: string }[]>`
    SELECT letter, ${folded(sql, sql`letter`)} AS text FROM unnest(${letters}::text[]) AS one(letter)`
  expect(rows.filter(({ letter, text }) => text !== foldLetters(letter))).toEqual([])
})

test('a search of many words is the same statement as one of a word', async () => {
  const caller = await createCaller(sql)
  const searched = (search: string) =>
    listProjects(sql, caller, { search }, { limit: 1, before: null })
  const prepared = async () => {
    const [row] = await sql`SELECT count(*)::int AS count FROM pg_prepared_statements`
    return row?.count
  }
  await searched('one')
  await prepared()
  const before = await prepared()
  await searched('one two')
  await searched(Array.from({ length: 150 }, (_, n) => String.fromCharCode(97 + n)).join(' '))
  expect(await prepared()).toBe(before)
})

test('a search reads no row of another account or project', async () => {
  const [many, few] = [await createCaller(sql), await createCaller(sql)]
  for (const { accountId } of [many, few]) {
    const rows = accountId === many.accountId ? 5_000 : 50
    const id = (prefix: string) =>
      sql`${`${prefix}_0${accountId.slice(-9)}`} || lpad(n::text, 16, '0')`
    const numbers = sql`generate_series(1, ${rows}::int) AS n`
    const projectId = sql`${`prj_0${accountId.slice(-9)}`} || lpad('1', 16, '0')`
    await sql`
      INSERT INTO projects (id, account_id, mode, name, language)
      SELECT ${id('prj')}, ${accountId}, 'live', 'A project', 'en' FROM ${numbers}`
    await sql`
      INSERT INTO articles (id, account_id, mode, project_id, title, slug, body, status)
      SELECT ${id('art')}, ${accountId}, 'live', ${projectId}, 'An article', 'a', '', 'DRAFT' FROM ${numbers}`
    await sql`
      INSERT INTO keywords (id, account_id, mode, project_id, keyword, folded, tracked, country, device)
      SELECT ${id('kw')}, ${accountId}, 'live', ${projectId}, 'k' || n, 'k' || n, false, 'US', 'desktop'
      FROM ${numbers}`
  }
  await sql`ANALYZE`
  const page = { limit: 50, before: null }
  const filter = { search: 'not there' }
  const ofFew = `prj_0${few.accountId.slice(-9)}${'1'.padStart(16, '0')}`
  for (const [table, read] of [
    ['projects', () => listProjects(sql, few, filter, page)],
    ['articles', () => listArticles(sql, few, filter, page)],
    ['articles', () => listArticles(sql, few, { ...filter, status: 'DRAFT' }, page)],
    ['keywords', () => listKeywords(sql, few, ofFew, filter, page)],
  ] as const) {
    const before = await rowsRead(sql, table)
    expect((await read()).rows).toEqual([])
    expect([table, (await rowsRead(sql, table)) - before < 200]).toEqual([table, true])
  }
})

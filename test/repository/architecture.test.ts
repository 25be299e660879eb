import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The maps that documents draw of the code are those of the code as it is. */

const ROOT = join(import.meta.dir, '../..')
const PAGES = 'src/dashboard/pages'

const read = (file: string) => Bun.file(join(ROOT, file)).text()

/** The part of a document from a heading to the next one of any level. */
const section = async (file: string, heading: string): Promise<string> => {
  const [, after] = (await read(file)).split(`\n${heading}\n`)
  if (after === undefined) throw new Error(`${file} has no heading "${heading}"`)
  return after.split(/^#/m)[0] ?? ''
}

const namesIn = (text: string) => [...text.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name)

/** The names in the first column of a table. */
const firstColumn = (table: string) =>
  table
    .split('\n')
    .flatMap(line => namesIn(line.startsWith('| `') ? (line.split('|')[1] ?? '') : ''))

const foldersOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => entry.parentPath.slice(ROOT.length + 1))

test('the folder map of docs/architecture.md lists the folders of src', async () => {
  const map = /```\n(.*?)```/s.exec(await section('docs/architecture.md', '## Folders'))?.[1]
  const listed: string[] = (map ?? '').match(/^src\/\S+/gm) ?? []
  const existing = foldersOf('src').filter(
    folder => folder !== 'src' && !folder.startsWith(`${PAGES}/`),
  )
  expect(listed).toEqual([...new Set(existing)].sort())
})

test('every import goes up the list of docs/architecture.md', async () => {
  const text = await section('docs/architecture.md', '## Import direction')
  const lines = text.match(/^\d+\. .*$/gm) ?? []
  const rankOf = new Map(
    lines.flatMap((line, rank) => namesIn(line).map(name => [name, rank] as const)),
  )
  const wrong: string[] = []
  for (const name of rankOf.keys())
    if (!['', '.ts'].some(end => existsSync(join(ROOT, 'src', name + end))))
      wrong.push(`no ${name}`)
  const part = (path: string) => path.split('/')[1]?.replace(/\.tsx?$/, '') ?? ''
  let imports = 0
  for await (const file of new Bun.Glob('src/**/*.ts').scan({ cwd: ROOT })) {
    if (/\.(test|d)\.ts$/.test(file) || file.startsWith(PAGES)) continue
    const from = rankOf.get(part(file))
    if (from === undefined && part(file) !== 'version') wrong.push(`${file} is in no line`)
    for (const [, path = ''] of (await read(file)).matchAll(
      /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g,
    )) {
      const target = join(dirname(file), path)
      if (!target.startsWith('src/') || part(target) === part(file)) continue
      imports++
      const to = rankOf.get(part(target))
      if (from !== undefined && to !== undefined && to >= from) wrong.push(`${file}: ${path}`)
    }
  }
  expect(wrong).toEqual([])
  expect(imports).toBeGreaterThan(300)
})

test('the maps of src/dashboard/README.md list the folders of the pages and the files of the kit', async () => {
  const map = await section('src/dashboard/README.md', '## The pages (`pages/`)')
  const folders = new Set(
    foldersOf(PAGES)
      .filter(folder => folder !== PAGES)
      .map(folder => folder.slice(PAGES.length + 1)),
  )
  expect(firstColumn(map).sort()).toEqual([...folders].sort())

  const kit = await section('src/dashboard/README.md', '## The kit (`pages/kit/`)')
  const files = readdirSync(join(ROOT, PAGES, 'kit'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(entry => entry.name.replace(/\.tsx?$/, ''))
  expect(firstColumn(kit).sort()).toEqual(files.sort())
})

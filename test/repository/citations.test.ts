import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Everything that comments and documents refer to exists: headings of the contract, files, anchors, names. */

const ROOT = join(import.meta.dir, '../..')

/** An applied migration must not change, not even in a comment. */
const FROZEN = 'src/db/migrations/'

const SDK = 'packages/sdk/'

const tracked = Bun.spawnSync(
  ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  {
    cwd: ROOT,
  },
)
  .stdout.toString()
  .split('\0')
  .filter(file => file !== '' && existsSync(join(ROOT, file)))
const isCode = (file: string) => /\.(tsx?|sql|css|sh|ya?ml)$|Dockerfile$/.test(file)
const read = (file: string) => Bun.file(join(ROOT, file)).text()

/** The text of a document without its code, or the comments of a source file, each on one line. */
const proseOf = async (file: string): Promise<string> => {
  const text = await read(file)
  if (file.endsWith('.md')) return text.replace(/^```.*?^```$/gms, '')
  return [...text.matchAll(/\/\*.*?\*\/|(?:^[ \t]*(?:\/\/|--|#) .*\n)+|\/\/ .*$/gms)]
    .map(([comment]) => comment.replace(/\n[ \t]*(?:\*|\/\/|--|#)?[ \t]*/g, ' '))
    .join('\n')
}

const sources = tracked.filter(file => isCode(file) && !file.startsWith(FROZEN))
const documents = tracked.filter(file => file.endsWith('.md'))

const headingsOf = async (document: string) =>
  [...(await read(document)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test('every "contract N" names a heading of docs/contract.md', async () => {
  const numbers = new Set(
    (await headingsOf('docs/contract.md')).flatMap(
      heading => /^\d+(\.\d+)?/.exec(heading)?.[0] ?? [],
    ),
  )
  const wrong: string[] = []
  let cited = 0
  for (const file of [...sources, ...documents]) {
    const text = file.endsWith('.md') ? await read(file) : flat(await read(file))
    for (const number of numbersIn(text)) {
      cited++
      if (!numbers.has(number)) wrong.push(`${file}: contract ${number}`)
    }
  }
  expect(wrong).toEqual([])
  expect(cited).toBeGreaterThan(100)
})

/** The headings that a text cites: "contract 3.1, 3.2 and 4". */
const numbersIn = (text: string): string[] =>
  [...text.matchAll(/\bcontract (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi)].flatMap(
    ([, list = '']) => list.match(/\d+(\.\d+)?/g) ?? [],
  )

/** The headings that a SQL file cites, in full: "Contract: 3.1 Authentication, 3.8 Rate limit." */
const headingsIn = (text: string): string[] =>
  [...text.matchAll(/Contract: (\d[^\n]*?)\.(?:\n|$| )/g)].flatMap(([, list = '']) =>
    list.split(/, (?=\d)/),
  )

/** A comment's lines joined, test names and other strings left as they are. */
const flat = (text: string) => text.replace(/\n[ \t]*(?:\*|\/\/|--|#)[ \t]*/g, ' ')

test('every "Contract: N.N Title" in SQL is a heading of docs/contract.md, word by word', async () => {
  const headings = new Set(await headingsOf('docs/contract.md'))
  const wrong: string[] = []
  for (const file of sources.filter(one => one.endsWith('.sql')))
    for (const heading of headingsIn(flat(await read(file))))
      if (!headings.has(heading)) wrong.push(`${file}: ${heading}`)
  expect(wrong).toEqual([])
})

/** By heading: its number, and the files of its line "In the code". */
const sectionsOfContract = async () =>
  (await read('docs/contract.md'))
    .split(/^### /m)
    .slice(1)
    .map(section => {
      const [heading = ''] = section.split('\n')
      const [number = ''] = heading.split(' ')
      const line = /^In the code: (.+)$/m.exec(section)?.[1] ?? ''
      const paths = line.match(/`[^`]+`/g)?.map(path => path.slice(1, -1)) ?? []
      return { heading, number, paths }
    })

test('each numbered heading of docs/contract.md names the files that implement it and a quick test', async () => {
  const sections = await sectionsOfContract()
  const without = sections
    .filter(
      ({ paths }) =>
        !paths.some(path => path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts')) ||
        !paths.some(path => !path.includes('.test.')),
    )
    .map(({ heading }) => heading)
  expect(sections.length).toBeGreaterThan(50)
  expect(without).toEqual([])
})

test('each file of the program that cites a heading of docs/contract.md is listed under it', async () => {
  const listed = new Map((await sectionsOfContract()).map(({ number, paths }) => [number, paths]))
  const program = sources.filter(
    file => /^(src|workflows|activities)\//.test(file) && !file.includes('.test.'),
  )
  const missing: string[] = []
  for (const file of program) {
    const text = flat(await read(file))
    const cited = [...numbersIn(text), ...headingsIn(text).flatMap(one => one.split(' ')[0] ?? [])]
    for (const number of new Set(cited))
      if (listed.get(number)?.includes(file) === false) missing.push(`${number}: ${file}`)
  }
  expect(missing.sort()).toEqual([])
})

test('every file that a document or a comment names exists', async () => {
  const wrong: string[] = []
  for (const file of [...sources, ...documents]) {
    const text = await proseOf(file)
    for (const [, path = ''] of text.matchAll(
      /(?<![\w/.@-])((?:src|docs|test|workflows|activities|bench|build|packages|deploy)\/[\w./-]*\w)/g,
    ))
      if (!isThere(file, path)) wrong.push(`${file}: ${path}`)
    for (const [, path = ''] of text.matchAll(
      /(?<![\w/.@-])((?:[a-z-]+\/)+[\w-]+\.(?:test\.)?tsx?)\b/g,
    ))
      if (!tracked.some(one => `/${one}`.endsWith(`/${path}`))) wrong.push(`${file}: ${path}`)
  }
  expect([...new Set(wrong)]).toEqual([])
})

/** The SDK's files name each other from its folder; pictures of pages are made by the tests. */
const isThere = (file: string, path: string) =>
  path.startsWith('test/screenshots') ||
  existsSync(join(ROOT, path)) ||
  (file.startsWith(SDK) && existsSync(join(ROOT, SDK, path)))

test('every link between documents leads to a file, and to a heading of it', async () => {
  const wrong: string[] = []
  for (const file of documents) {
    for (const [, target = ''] of (await read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const to = path === '' ? file : join(dirname(file), path)
      if (!existsSync(join(ROOT, to))) wrong.push(`${file}: ${target}`)
      else if (anchor !== undefined && !(await headingsOf(to)).map(anchorOf).includes(anchor))
        wrong.push(`${file}: ${target}`)
    }
  }
  expect(wrong).toEqual([])
})

test('a comment that names a heading of a document names one that is there', async () => {
  const wrong: string[] = []
  for (const file of sources)
    for (const [, document = '', heading = ''] of flat(await read(file)).matchAll(
      /\b(docs\/[\w/-]+\.md), "([^"]+)"/g,
    ))
      if (!existsSync(join(ROOT, document)) || !(await headingsOf(document)).includes(heading))
        wrong.push(`${file}: ${document}, "${heading}"`)
  expect(wrong).toEqual([])
})

test('nothing cites a document that is not in the repository', async () => {
  const absent = [/\bservice\.md\b/, /\(design[,)]/, /\bdesign, (?:step|")/, /\bdecisions\.md\b/]
  const wrong: string[] = []
  for (const file of [...sources, ...documents]) {
    if (file === 'test/repository/citations.test.ts') continue
    const text = flat(await read(file))
    for (const pattern of absent) if (pattern.test(text)) wrong.push(`${file}: ${pattern}`)
  }
  expect(wrong).toEqual([])
})

test('a function that a document names is in the code', async () => {
  const names = new Set<string>()
  for (const file of tracked.filter(one =>
    /^(src|workflows|activities|packages)\/.*\.tsx?$/.test(one),
  ))
    for (const [name] of (await read(file)).matchAll(
      /\b(?:use|create|record|start|run|check)[A-Z]\w+/g,
    ))
      names.add(name)
  const wrong: string[] = []
  for (const file of documents)
    for (const [, name = ''] of (await read(file)).matchAll(
      /`((?:use|create|record|run|check)[A-Z]\w+)/g,
    ))
      if (!names.has(name)) wrong.push(`${file}: ${name}`)
  expect(wrong).toEqual([])
})

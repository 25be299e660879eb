import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What comments and documents point at is there: headings of the contract, files, anchors, names. */

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
    for (const [, list = ''] of text.matchAll(
      /\bcontract (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/gi,
    ))
      for (const number of list.match(/\d+(\.\d+)?/g) ?? []) {
        cited++
        if (!numbers.has(number)) wrong.push(`${file}: contract ${number}`)
      }
  }
  expect(wrong).toEqual([])
  expect(cited).toBeGreaterThan(100)
})

/** A comment's lines joined, test names and other strings left as they are. */
const flat = (text: string) => text.replace(/\n[ \t]*(?:\*|\/\/|--|#)[ \t]*/g, ' ')

test('every "Contract: N.N Title" in SQL is a heading of docs/contract.md, word by word', async () => {
  const headings = new Set(await headingsOf('docs/contract.md'))
  const wrong: string[] = []
  for (const file of sources.filter(one => one.endsWith('.sql')))
    for (const [, list = ''] of flat(await read(file)).matchAll(
      /Contract: (\d[^\n]*?)\.(?:\n|$| )/g,
    ))
      for (const heading of list.split(/, (?=\d)/))
        if (!headings.has(heading)) wrong.push(`${file}: ${heading}`)
  expect(wrong).toEqual([])
})

test('each numbered heading of docs/contract.md names the files that implement it and a test', async () => {
  const [, ...sections] = (await read('docs/contract.md')).split(/^### /m)
  const without = sections.flatMap(section => {
    const [heading = ''] = section.split('\n')
    const line = /^In the code: (.+)$/m.exec(section)?.[1] ?? ''
    const paths = line.match(/`[^`]+`/g)?.map(path => path.slice(1, -1)) ?? []
    const isShown = paths.some(path => path.includes('.test.'))
    const isMade = paths.some(path => !path.includes('.test.'))
    return isShown && isMade ? [] : [heading]
  })
  expect(sections.length).toBeGreaterThan(50)
  expect(without).toEqual([])
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

import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import tsconfig from '../../tsconfig.json'

/**
 * The arrows between folders go one way (docs/architecture.md, "Import direction"): what a folder needs can be
 * read, tested and changed without what needs it. A file directly in `src` is a part of its own.
 */

const ROOT = join(import.meta.dir, '../..')
/** Aliases of paths in imports, such as `@arden/sdk`. */
const ALIASES: { [name: string]: string[] | undefined } = tsconfig.compilerOptions.paths
const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
}

type Arrow = { from: string; to: string; file: string }
type ImportsOf = (source: string, file: string) => string[]

/** The modules that are loaded with a file; type imports load nothing. */
const loaded: ImportsOf = (source, file) =>
  transpilers[file.endsWith('x') ? 'tsx' : 'ts'].scanImports(source).map(({ path }) => path)
/** The modules that a file imports, types included. */
const named: ImportsOf = source =>
  [...source.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, path = '']) => path)

/** A folder, or a file that is directly in a folder with subfolders, such as `src/start.ts`. */
const part = (file: string): string => {
  if (folders.has(file)) return file
  const folder = dirname(file)
  return parents.has(folder) ? file.replace(/\.tsx?$/, '') : folder
}

const folders = new Set(
  [...new Bun.Glob('{src,workflows,activities}/**/*.{ts,tsx}').scanSync({ cwd: ROOT })].map(file =>
    dirname(file),
  ),
)
/** The folders that have subfolders. */
const parents = new Set([...folders].map(folder => dirname(folder)))

const arrows = async (files: string, importsOf: ImportsOf): Promise<Arrow[]> => {
  const found: Arrow[] = []
  for await (const file of new Bun.Glob(files).scan({ cwd: ROOT })) {
    if (/\.(test|d)\.ts$/.test(file)) continue
    for (const path of importsOf(await Bun.file(join(ROOT, file)).text(), file)) {
      const target = path.startsWith('.') ? join(dirname(file), path) : ALIASES[path]?.[0]
      if (target === undefined) continue
      const from = part(file)
      const to = part(join(target))
      if (from !== to) found.push({ from, to, file })
    }
  }
  return found
}

/** The arrows of one circle, each with a file that makes it; undefined when there is none. */
const circle = (all: Arrow[]): string[] | undefined => {
  const done = new Set<string>()
  const look = (at: string, way: Arrow[]): Arrow[] | undefined => {
    const begin = way.findIndex(({ from }) => from === at)
    if (begin >= 0) return way.slice(begin)
    if (done.has(at)) return undefined
    for (const arrow of all.filter(({ from }) => from === at)) {
      const found = look(arrow.to, [...way, arrow])
      if (found !== undefined) return found
    }
    done.add(at)
    return undefined
  }
  for (const { from } of all) {
    const found = look(from, [])
    if (found !== undefined) return found.map(({ file, to }) => `${file} imports ${to}`)
  }
  return undefined
}

test('what one folder loads never loads that folder', async () => {
  const all = await arrows('{src,workflows,activities}/**/*.{ts,tsx}', loaded)
  expect(all.length).toBeGreaterThan(100)
  expect(circle(all)).toBeUndefined()
})

test('types between the folders of src go the same way', async () => {
  const all = await arrows('src/**/*.{ts,tsx}', named)
  const inside = all.filter(({ to }) => to.startsWith('src/'))
  expect(inside.length).toBeGreaterThan(100)
  expect(circle(inside)).toBeUndefined()
})

test('the folders of the pages are in the check', async () => {
  const all = await arrows('src/dashboard/pages/**/*.{ts,tsx}', loaded)
  const targets = new Set(all.map(({ to }) => to))
  for (const folder of ['api', 'mode', 'kit/classes', 'kit/forms', 'session', 'router'])
    expect(targets).toContain(`src/dashboard/pages/${folder}`)
  expect(all.length).toBeGreaterThan(300)
})

test('the program imports nothing from the build, the tests or the benchmarks, not even a type', async () => {
  const all = await arrows('{src,workflows,activities}/**/*.{ts,tsx}', named)
  const outside = all.filter(({ to }) => /^(build|test|bench)(\/|$)/.test(to))
  expect(outside).toEqual([])
})

test('the SDK imports nothing from the program; only the commands that call the API import the SDK', async () => {
  expect(await arrows('packages/sdk/src/**/*.ts', named)).toEqual([])
  const all = await arrows('{src,workflows,activities}/**/*.{ts,tsx}', named)
  const users = all.filter(({ to }) => to.startsWith('packages/'))
  expect([...new Set(users.map(({ from, to }) => `${from} ${to}`))].sort()).toEqual([
    'src/commands/api packages/sdk/src',
    'src/commands/login packages/sdk/src',
    'src/commands/mcp packages/sdk/src',
  ])
})

test('workflows load only constants: no part of the program, nothing that is not deterministic', async () => {
  const files = new Set<string>()
  const follow = async (file: string) => {
    if (files.has(file)) return
    files.add(file)
    for (const path of loaded(await Bun.file(join(ROOT, file)).text(), file))
      if (path.startsWith('.')) await follow(`${join(dirname(file), path)}.ts`)
      else expect([file, path]).toEqual([file, '@temporalio/workflow'])
  }
  await follow('workflows/index.ts')
  const outside = [...files].filter(file => !file.startsWith('workflows/')).sort()
  expect(outside).toEqual([
    'src/content/generations/retry-schedule.ts',
    'src/content/provider-limits/admission-timeout.ts',
    'src/content/rankings/policy.ts',
    'src/webhooks/retry-schedule.ts',
  ])
})

test('the check finds a circle', () => {
  const all = ['a b', 'b c', 'c d', 'd b'].map(text => {
    const [from = '', to = ''] = text.split(' ')
    return { from, to, file: `${from}.ts` }
  })
  expect(circle(all)).toEqual(['b.ts imports c', 'c.ts imports d', 'd.ts imports b'])
})

import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import pkg from '../../package.json'
import tsconfig from '../../tsconfig.json'

const ROOT = join(import.meta.dir, '../..')

test('what the program imports is a dependency, so that an install for production is enough', async () => {
  const transpilers = {
    ts: new Bun.Transpiler({ loader: 'ts' }),
    tsx: new Bun.Transpiler({ loader: 'tsx' }),
  }
  const wanted = new Set<string>()
  // Commands load the SDK from its source.
  const globs = ['{src,workflows,activities}/**/*.ts', 'src/**/*.tsx', 'packages/sdk/src/*.ts']
  const files = globs.map(glob => Array.fromAsync(new Bun.Glob(glob).scan({ cwd: ROOT })))
  for (const file of (await Promise.all(files)).flat()) {
    if (file.endsWith('.test.ts') || file.endsWith('.d.ts')) continue
    const transpiler = transpilers[file.endsWith('.tsx') ? 'tsx' : 'ts']
    for (const { path } of transpiler.scanImports(await Bun.file(join(ROOT, file)).text())) {
      if (path.startsWith('.') || path.startsWith('node:') || path.startsWith('bun')) continue
      wanted.add(
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      )
    }
  }
  expect(wanted.size).toBeGreaterThan(10)
  const aliases = Object.keys(tsconfig.compilerOptions.paths)
  const missing = [...wanted].filter(name => !(name in pkg.dependencies))
  expect(missing).toEqual(aliases)
})

test('versions are exact: what was tested is what is installed', () => {
  const versions = Object.values({ ...pkg.dependencies, ...pkg.devDependencies })
  expect(versions.filter(version => !/^(npm:[a-z-]+@)?\d/.test(version))).toEqual([])
})

test('commands and serve start without Temporal’s library, which takes longer to load than all the rest', async () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const seen = new Map<string, string[]>()
  const load = async (file: string, way: string[]) => {
    if (seen.has(file)) return
    seen.set(file, way)
    for (const { path, kind } of transpiler.scanImports(await Bun.file(file).text())) {
      if (kind !== 'import-statement') continue
      if (!path.startsWith('.')) seen.set(path, [...way, file])
      else if (!path.includes('package.json') && !/\.(sql|md|css)$/.test(path))
        await load(Bun.resolveSync(path, dirname(file)), [...way, file])
    }
  }
  for (const entry of ['main.ts', 'start.ts']) await load(join(ROOT, 'src', entry), [])
  expect([...seen.keys()].length).toBeGreaterThan(100)
  const temporal = [...seen].filter(([path]) => path.startsWith('@temporalio/'))
  expect(temporal).toEqual([])
})

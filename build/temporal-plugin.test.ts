import { afterAll, expect, test } from 'bun:test'
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './root'
import { temporalPlugin } from './temporal-plugin'

/**
 * The SDK files that the build changes, copied into a project of their own to simulate upgrades.
 */
const FILES = [
  '@temporalio/core-bridge/index.js',
  '@temporalio/worker/lib/workflow/threaded-vm.js',
  '@temporalio/worker/lib/workflow/bundler.js',
  'source-map/lib/read-wasm.js',
]
const [BRIDGE = '', THREADS = ''] = FILES
const inProject = (file: string) => join(root, 'node_modules', file)

const root = await realpath(await mkdtemp(join(tmpdir(), 'arden-plugin-')))
const others = [
  '@temporalio/core-bridge/package.json',
  '@temporalio/worker/package.json',
  '@temporalio/worker/lib/workflow/workflow-worker-thread.js',
  'source-map/package.json',
  'source-map/lib/mappings.wasm',
]
for (const file of [...FILES, ...others]) {
  await mkdir(dirname(inProject(file)), { recursive: true })
  await cp(join(ROOT, 'node_modules', file), inProject(file))
}
await Bun.write(join(root, 'workflows.js'), '')
afterAll(() => rm(root, { recursive: true, force: true }))

/** The errors of a build of a program that uses `files`. */
const buildErrors = async (files: string[]): Promise<string[]> => {
  const entry = join(root, 'main.js')
  await Bun.write(entry, files.map(file => `require('${inProject(file)}')\n`).join(''))
  const { logs } = await Bun.build({
    entrypoints: [entry],
    target: 'bun',
    packages: 'external',
    external: ['./*', '../*'],
    throw: false,
    plugins: [temporalPlugin({ root, triple: 'any', workflows: join(root, 'workflows.js') })],
  }).catch(error => ({ logs: [error] }))
  return logs.map(log => log.message)
}

/** Builds with an SDK file in which `text` is replaced by `other`. */
const buildWithChangedFile = async (
  file: string,
  text: string,
  other: string,
): Promise<string[]> => {
  const original = await Bun.file(inProject(file)).text()
  expect(original).toContain(text)
  try {
    await Bun.write(inProject(file), original.replaceAll(text, other))
    return await buildErrors(FILES)
  } finally {
    await Bun.write(inProject(file), original)
  }
}

test('the build supports the installed SDK', async () => {
  expect(await buildErrors(FILES)).toEqual([])
})

test('a changed SDK file fails the build, which names package, version, file and text', async () => {
  const { version } = await Bun.file(inProject('@temporalio/worker/package.json')).json()
  expect(
    await buildWithChangedFile(THREADS, 'require.resolve(', 'import.meta.resolve('),
  ).toContainEqual(
    expect.stringContaining(
      `@temporalio/worker ${version}, lib/workflow/threaded-vm.js, has \`require.resolve('./workflow-worker-thread')\` 0 times instead of once`,
    ),
  )
  expect(await buildWithChangedFile(BRIDGE, 'getPrebuiltPath()', 'findPrebuilt()')).toContainEqual(
    expect.stringContaining('has `const nativeLibPath = getPrebuiltPath();` 0 times'),
  )
})

test('a text that occurs twice fails the build', async () => {
  const line = 'const nativeLibPath = getPrebuiltPath();'
  expect(await buildWithChangedFile(BRIDGE, line, `${line} ${line}`)).toContainEqual(
    expect.stringContaining(`has \`${line}\` 2 times instead of once`),
  )
})

test('an SDK that no longer uses a file fails the build', async () => {
  expect(await buildErrors(FILES.filter(file => file !== THREADS))).toContainEqual(
    expect.stringContaining(`no longer contains ${THREADS}`),
  )
})

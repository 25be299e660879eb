import { expect, test } from 'bun:test'
import { join } from 'node:path'

/**
 * Bun's `expect(promise).rejects` and `.resolves` wait in an event loop of their own, in which no native module is
 * given control. A test that Temporal's SDK has just woken would wait there for ever for a promise of the SDK.
 */

const ROOT = join(import.meta.dir, '../..')
const FOLDERS = 'test,src,activities,workflows,packages,bench,build'
const NESTED = /\)\s*\.(?:rejects|resolves)\b/
const THIS = 'test/repository/nested-loop.test.ts'

test('no test waits for a promise in an event loop of its own', async () => {
  const files = [...new Bun.Glob(`{${FOLDERS}}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT })].filter(
    file => !file.includes('node_modules/') && file !== THIS,
  )
  expect(files.length).toBeGreaterThan(200)
  const found: string[] = []
  for (const file of files)
    if (NESTED.test(await Bun.file(join(ROOT, file)).text())) found.push(file)
  expect(found).toEqual([])
})

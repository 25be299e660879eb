import { expect, test } from 'bun:test'
import { readSourceFiles } from '../support/tools/source-files'

/**
 * Bun's `expect(promise).rejects` and `.resolves` wait in an event loop of their own, in which no native module is
 * given control. A test that Temporal's SDK has just woken would wait there for ever for a promise of the SDK.
 */

const NESTED = /\)\s*\.(?:rejects|resolves)\b/
const THIS = 'test/repository/nested-loop.test.ts'

test('no test waits for a promise in an event loop of its own', async () => {
  const files = (await readSourceFiles()).filter(({ file }) => file !== THIS)
  expect(files.length).toBeGreaterThan(200)
  const found = files.filter(({ text }) => NESTED.test(text))
  expect(found.map(({ file }) => file)).toEqual([])
})

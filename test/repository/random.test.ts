import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** Values that tests generate follow from ARDEN_TEST_SEED, so that a run that fails can be repeated. */

const ROOT = join(import.meta.dir, '../..')
const FOLDERS = 'test,src,activities,workflows,packages,bench,build'
/** Names, ids and keys may be random: no test depends on their values. Numbers that a test chooses by may not. */
const UNSEEDED = /\bMath\.random\b|\brandomInt\b|\bgetRandomValues\b|\bfrom 'fast-check'/
/** The module that seeds fast-check, from which tests import it. */
const SEEDED = ['test/support/property.ts']
const THIS = 'test/repository/random.test.ts'

const isOfTests = (file: string) => file.startsWith('test/') || /\.test\.tsx?$/.test(file)

test('no test uses a random number without the seed of the run', async () => {
  const files = [...new Bun.Glob(`{${FOLDERS}}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT })].filter(
    file => isOfTests(file) && !file.includes('node_modules/') && file !== THIS,
  )
  expect(files.length).toBeGreaterThan(200)
  const found: string[] = []
  for (const file of files)
    if (!SEEDED.includes(file) && UNSEEDED.test(await Bun.file(join(ROOT, file)).text()))
      found.push(file)
  expect(found).toEqual([])
})

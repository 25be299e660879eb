import { expect, test } from 'bun:test'
import { readSourceFiles } from '../support/tools/source-files'

/** Values that tests generate follow from ARDEN_TEST_SEED, so that a run that fails can be repeated. */

/** Names, ids and keys may be random: no test depends on their values. Numbers that a test chooses by may not. */
const UNSEEDED = /\bMath\.random\b|\brandomInt\b|\bgetRandomValues\b|\bfrom 'fast-check'/
/** The module that seeds fast-check, from which tests import it. */
const SEEDED = ['test/support/property.ts']
const THIS = 'test/repository/random.test.ts'

const isOfTests = (file: string) => file.startsWith('test/') || /\.test\.tsx?$/.test(file)

test('no test uses a random number without the seed of the run', async () => {
  const files = (await readSourceFiles()).filter(({ file }) => isOfTests(file) && file !== THIS)
  expect(files.length).toBeGreaterThan(200)
  const found = files.filter(({ file, text }) => !SEEDED.includes(file) && UNSEEDED.test(text))
  expect(found.map(({ file }) => file)).toEqual([])
})

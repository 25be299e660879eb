import { expect, test } from 'bun:test'
import { join } from 'node:path'

const SOURCE = join(import.meta.dir, '../../src')

/**
 * Before PostgreSQL 18, which the tests use, a plan without sequential scans seems so expensive that it is compiled
 * first: the gauges took 0.4 s of CPU for each scrape, and 2 s on a busy machine (docs/decisions/database.md).
 */
test('what plans without sequential scans is not compiled', async () => {
  const files = await Array.fromAsync(new Bun.Glob('**/*.{sql,ts}').scan(SOURCE))
  const planned: string[] = []
  const compiled: string[] = []
  for (const file of files) {
    if (file.endsWith('.test.ts') || file.endsWith('schema.sql')) continue
    const text = await Bun.file(join(SOURCE, file)).text()
    const without = (setting: string) =>
      new RegExp(`SET ${setting} = off|set_config\\('${setting}', 'off'`).test(text)
    if (!without('enable_seqscan')) continue
    planned.push(file)
    if (!without('jit')) compiled.push(file)
  }
  expect(planned.length).toBeGreaterThan(5)
  expect(compiled).toEqual([])
})

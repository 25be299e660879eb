import { expect, setDefaultTimeout, test } from 'bun:test'
import type { Context } from '../bench/bench'
import { benches } from '../bench/benches'
import { isMet } from '../bench/parts/mark'
import { inWords } from '../bench/report'
import { testEnvironment } from './support/environment'

/** Of the counts of a full run: enough to see that each bench works. Nothing here is timed. */
const SHARE = 0.001
const LONGEST_MS = 120_000

setDefaultTimeout(LONGEST_MS)

const context = (): Context => {
  const { databaseUrl, temporalAddress, workflowBundle } = testEnvironment()
  return {
    servers: {
      databaseUrl,
      stores: [{ name: 'SQLite', address: temporalAddress }],
      workflowBundle,
    },
    rounds: 1,
    seconds: 1,
    amount: full => Math.max(1, Math.ceil(full * SHARE)),
    say: () => {},
  }
}

for (const bench of benches)
  test(`the bench ${bench.name} runs, and tells whether its marks are met`, async () => {
    const figures = await bench.run(context())
    expect(figures.length).toBeGreaterThan(0)
    for (const figure of figures) expect(figure.product).toBeGreaterThan(0)
    expect(figures.some(figure => isMet(figure) !== undefined)).toBe(true)
    expect(inWords(bench, figures)).toContain(bench.product)
  })

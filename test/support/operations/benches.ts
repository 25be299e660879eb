import { expect, setDefaultTimeout, test } from 'bun:test'
import type { Context } from '../../../bench/bench'
import { benches } from '../../../bench/benches'
import { isMet } from '../../../bench/parts/goal'
import { formatBench } from '../../../bench/report'
import { testEnvironment } from '../environment'

/** Fraction of the counts of a full run: enough to check that a bench works. Nothing is timed here. */
const SHARE = 0.001
const TURN_S = 1
const LONGEST_MS = 300_000

/** The tests of some benches, on the servers of the test run. They take long: no file has all of them. */
export const testBenches = (names: string[]): void => {
  setDefaultTimeout(LONGEST_MS)
  for (const name of names)
    test(`the bench ${name} runs, and reports whether its goals are met`, async () => {
      const bench = benches.find(one => one.name === name)
      if (bench === undefined) throw new Error(`There is no bench ${name}.`)
      const figures = await bench.run(context())
      expect(figures.length).toBeGreaterThan(0)
      for (const figure of figures) expect(figure.product).toBeGreaterThan(0)
      expect(figures.some(figure => isMet(figure) !== undefined)).toBe(true)
      expect(formatBench(bench, figures)).toContain(bench.product)
    })
}

const context = (): Context => {
  const { temporalAddress, workflowBundle, ...database } = testEnvironment()
  return {
    servers: {
      ...database,
      stores: [{ name: 'SQLite', address: temporalAddress }],
      workflowBundle,
    },
    rounds: 1,
    seconds: TURN_S,
    amount: full => Math.max(1, Math.ceil(full * SHARE)),
    say: () => {},
  }
}

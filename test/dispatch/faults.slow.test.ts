import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testEnvironment } from '../support/environment'
import { LANES, type Lane } from '../support/lanes'
import { SEED } from '../support/seed'

/** A quarter of it on two idle cores. */
const LONGEST_MS = 600_000

/** `bun run faults`, small. Resolves with what it printed when no promise was broken. */
const runFaults = async (lane: Lane, ...args: string[]): Promise<string> => {
  const { workflowBundle } = testEnvironment()
  const main = join(import.meta.dir, '../faults/main.ts')
  const options = ['--events', '60', '--workflows', lane, '--seed', String(SEED)]
  const run = Bun.spawn([process.execPath, main, ...args, ...options], {
    env: { ...process.env, ARDEN_WORKFLOW_BUNDLE: workflowBundle },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [printed, code] = await Promise.all([run.stdout.text(), run.exited])
  // All that it printed: its seed is in there.
  expect(code, printed).toBe(0)
  expect(printed).not.toContain('BROKEN')
  return printed
}

test.concurrent.each(LANES)(
  'with a workflow %s: whatever is killed, no promise is broken',
  async lane => {
    const printed = await runFaults(lane, 'kills', '--kills', '4')
    for (const part of ['postgres', 'temporal', 'worker', 'serve'])
      expect(printed).toContain(`${part} is back`)
  },
  LONGEST_MS,
)

test.concurrent.each([
  ['every', 'frozen-worker', 'empty-temporal'],
  ['on-retry', 'partition-postgres', 'failover-asynchronous'],
] as const)(
  'with a workflow %s: through %s and %s, no promise is broken',
  async (lane, one, other) => {
    const printed = await runFaults(lane, one, other, '--seconds', '10')
    for (const fault of [one, other]) expect(printed).toContain(`${fault} ended`)
  },
  LONGEST_MS,
)

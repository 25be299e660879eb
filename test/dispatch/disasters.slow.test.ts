import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { noPostgresPrograms } from '../disasters/programs'
import { testEnvironment } from '../support/environment'
import { SEED } from '../support/seed'

/** Five times what they take on two idle cores. */
const LONGEST_MS = 600_000

const missing = await noPostgresPrograms()
if (missing !== undefined)
  process.stderr.write(`test/dispatch/disasters.slow.test.ts: ${missing}\n`)

test.skipIf(missing !== undefined)(
  'the procedures for a leaked key, a lost encryption key and a failover do what docs/operations.md says',
  async () => {
    const main = join(import.meta.dir, '../disasters/main.ts')
    const names = ['leaked-key', 'lost-key', 'failover']
    const run = Bun.spawn([process.execPath, main, ...names, '--seed', String(SEED)], {
      env: { ...process.env, ARDEN_WORKFLOW_BUNDLE: testEnvironment().workflowBundle },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const [printed, code] = await Promise.all([run.stdout.text(), run.exited])
    expect(code, printed).toBe(0)
    for (const name of names) expect(printed).toMatch(new RegExp(`^ok +${name} `, 'm'))
  },
  LONGEST_MS,
)

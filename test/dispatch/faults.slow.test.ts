import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testEnvironment } from '../support/environment'
import { LANES } from '../support/lanes'
import { SEED } from '../support/seed'

const LONGEST_MS = 240_000

test.concurrent.each(LANES)(
  'with a workflow %s: whatever is killed, no change with a 2xx response is lost, and nothing recorded is sent twice',
  async lane => {
    const { workflowBundle } = testEnvironment()
    const main = join(import.meta.dir, '../faults/main.ts')
    const run = Bun.spawn(
      [
        process.execPath,
        main,
        '--events',
        '60',
        '--kills',
        '4',
        '--workflows',
        lane,
        '--seed',
        String(SEED),
      ],
      {
        env: { ...process.env, ARDEN_WORKFLOW_BUNDLE: workflowBundle },
        stdout: 'pipe',
        stderr: 'inherit',
      },
    )
    const [printed, code] = await Promise.all([run.stdout.text(), run.exited])
    // All that it printed: its seed is in there.
    expect(code, printed).toBe(0)
    expect(printed).toMatch(/^lost +0$/m)
    for (const part of ['postgres', 'temporal', 'worker', 'serve'])
      expect(printed).toContain(`${part} is back`)
  },
  LONGEST_MS,
)

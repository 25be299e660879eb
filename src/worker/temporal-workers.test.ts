import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testEnvironment, toVariables } from '../../test/support/environment'

const PROGRAM = join(import.meta.dir, '../../test/support/operations/shutdown-in-eager-start.ts')
/** Far more than the shutdown takes, in ms: a hanging one would never end. */
const HANGS_AFTER_MS = 40_000

test('workers that are shut down during an eager start end', async () => {
  const child = Bun.spawn([process.execPath, PROGRAM], {
    env: { PATH: process.env.PATH ?? '', ...toVariables(testEnvironment()) },
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: HANGS_AFTER_MS,
    killSignal: 'SIGKILL',
  })
  expect(await new Response(child.stdout).text()).toBe('ended')
}, 60_000)

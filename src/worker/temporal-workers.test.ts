import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testEnvironment, toVariables } from '../../test/support/environment'
import { settled } from '../../test/support/settled'
import { runToEnd } from './temporal-workers'

/** What the SDK does with workflows in its cache cannot be started on purpose. */
test('a worker that has failed and never ends is left behind, and the reason of one that ends is kept', async () => {
  const never = { run: () => new Promise<void>(() => {}), getState: () => 'FAILED' as const }
  expect(await settled(runToEnd(never))).toThrow('does not end')
  const failed = { run: () => Promise.reject(new Error('why')), getState: () => 'FAILED' as const }
  expect(await settled(runToEnd(failed))).toThrow('why')
  await runToEnd({ run: () => Promise.resolve(), getState: () => 'STOPPED' })
}, 30_000)

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

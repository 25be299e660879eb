import { expect, test } from 'bun:test'
import { CAN_MEASURE_PEAK, peakGrowthMiB } from './peak-memory'

/** Allocates as many MiB as each line says, and releases them before it prints one. */
const PROGRAM = `
for await (const line of console) {
  Buffer.alloc(Number(line) * 1024 * 1024, 1)
  Bun.gc(true)
  console.log('released')
}`

test.skipIf(!CAN_MEASURE_PEAK)('the peak counts memory that was released, once', async () => {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM], { stdin: 'pipe', stdout: 'pipe' })
  const output = child.stdout.getReader()
  const allocate = async (mib: number) => {
    child.stdin.write(`${mib}\n`)
    child.stdin.flush()
    expect((await output.read()).done).toBe(false)
  }
  await allocate(1)
  expect(await peakGrowthMiB(child.pid, () => allocate(200))).toBeGreaterThan(190)
  expect(await peakGrowthMiB(child.pid, () => allocate(1))).toBeLessThan(64)
  child.kill()
  await child.exited
})

import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/connect'
import { StartError } from '../../errors'
import { isRunning } from '../process'
import { startPostgres } from './server'

const root = await mkdtemp(join(tmpdir(), 'arden-local-'))
afterAll(() => rm(root, { recursive: true }))

const start = (name: string) => startPostgres({ dir: join(root, name), durable: false })

test('keeps data across a restart, also in a folder that is closed to other users', async () => {
  await chmod(root, 0o700)
  const first = await start('kept')
  const sql = connect(first.url, { name: 'test', max: 1 })
  await sql`CREATE TABLE kept AS SELECT 42 AS answer`
  await sql.end()
  await first.stop()

  const second = await start('kept')
  const again = connect(second.url, { name: 'test', max: 1 })
  expect([...(await again`SELECT answer FROM kept`)]).toEqual([{ answer: 42 }])
  await again.end()
  await second.stop()
})

test('stops the server of a killed process and starts another one on its data', async () => {
  const script = `
    import { startPostgres } from ${JSON.stringify(join(import.meta.dir, 'server.ts'))}
    const { pid } = await startPostgres({ dir: ${JSON.stringify(join(root, 'left'))}, durable: false })
    console.log(pid)
    process.kill(process.pid, 'SIGKILL')`
  const killed = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const left = Number(await killed.stdout.text())
  await killed.exited

  const { stop } = await start('left')
  expect(await isRunning(left)).toBe(false)
  await stop()
})

test('rejects a folder whose server belongs to a live process', async () => {
  const { stop } = await start('used')
  await expectRefusal(
    start('used'),
    /is in use by another Arden \(process \d+\)\. Stop that one first/,
  )
  await stop()
})

test('rejects a damaged data folder and names the log and what to do', async () => {
  const { stop } = await start('broken')
  await stop()
  await rm(join(root, 'broken', 'data', 'PG_VERSION'))
  await expectRefusal(
    start('broken'),
    /PG_VERSION" is missing\. Its log is .*server\.log\. Restore/,
  )
})

test('rejects a path that cannot be a folder and names the setting', async () => {
  await writeFile(join(root, 'file'), '')
  await expectRefusal(start('file'), /cannot be used: .* set ARDEN_DATA_DIR to another folder/)
})

const expectRefusal = async (started: Promise<unknown>, message: RegExp) => {
  const said = await started.then(
    () => 'no refusal',
    error => (error instanceof StartError ? error.message : String(error)),
  )
  expect(said).toMatch(message)
  expect(said).not.toContain('\n')
}

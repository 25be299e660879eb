import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolePrivileges } from '../../../test/support/db/role'
import { connect } from '../../db/connect'
import { migrate } from '../../db/migrate'
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
  await sql`CREATE TABLE kept AS SELECT 42 AS value`
  await sql.end()
  await first.stop()

  const second = await start('kept')
  const again = connect(second.url, { name: 'test', max: 1 })
  expect([...(await again`SELECT value FROM kept`)]).toEqual([{ value: 42 }])
  await again.end()
  await second.stop()
})

test('makes the superuser of an earlier version an ordinary owner of the same data', async () => {
  const first = await start('superuser')
  const sql = connect(first.url, { name: 'test', max: 1 })
  await migrate(sql)
  await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
  await sql.end()
  // As the earlier version created it: one superuser, which owns everything.
  const { password } = new URL(first.url)
  const admin = connect(Object.assign(new URL(first.adminUrl), { pathname: '/arden' }).href, {
    name: 'test',
    max: 1,
  })
  await admin.unsafe(`
    CREATE ROLE other SUPERUSER;
    SET SESSION AUTHORIZATION other;
    ALTER ROLE arden RENAME TO earlier;
    ALTER ROLE postgres RENAME TO arden;
    ALTER ROLE arden PASSWORD '${password}';
    REASSIGN OWNED BY earlier TO arden;
    RESET SESSION AUTHORIZATION;
    DROP ROLE earlier, other`)
  await admin.end()
  await first.stop()
  await rm(join(root, 'superuser', 'superuser.password'))

  for (const _ of ['the upgrade', 'the start after it']) {
    const { url, adminUrl, stop } = await start('superuser')
    const again = connect(url, { name: 'test', max: 1 })
    expect(await rolePrivileges(again)).toEqual({ attributes: [], owns: ['arden'], memberOf: [] })
    expect([...(await again`SELECT name FROM accounts`)]).toEqual([{ name: 'Acme' }])
    const foreign = await again`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relowner <> current_user::regrole
      UNION ALL
      SELECT proname FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proowner <> current_user::regrole
      UNION ALL
      SELECT typname FROM pg_type
      WHERE typnamespace = 'public'::regnamespace AND typowner <> current_user::regrole`
    expect([...foreign]).toEqual([])
    expect(new URL(url).password).toBe(password)
    expect(new URL(adminUrl).username).toBe('postgres')
    await again.end()
    await stop()
  }
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

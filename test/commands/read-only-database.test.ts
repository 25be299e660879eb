import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useArden } from '../support/arden'
import { checkHere, one } from '../support/commands/doctor'
import { useDatabase } from '../support/database'
import { runArden } from '../support/process'

/** Commands on a database that permits no changes, as a standby does. */

const arden = await useArden({})
const { url, sql } = await useDatabase()
const database = new URL(url).pathname.slice(1)
await sql`ALTER DATABASE ${sql(database)} SET default_transaction_read_only = on`
const folder = await mkdtemp(join(tmpdir(), 'arden-read-only-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = { ...arden.env, DATABASE_URL: url, PORT: '0', ARDEN_DATA_DIR: folder }
const todo =
  'Point DATABASE_URL to the primary, or set default_transaction_read_only = off (ALTER DATABASE or ALTER ROLE). Arden goes on within seconds.'

test('doctor says that it is read-only, and blames no worker', async () => {
  const checks = await checkHere(env)
  expect(one(checks, 'database')).toEqual({
    name: 'database',
    status: 'fail',
    found: expect.stringMatching(/^The database at \S+ is read-only\.$/),
    todo,
  })
  expect(one(checks, 'workers')?.todo).toBe('See "database" above.')
})

test.each([['serve'], ['worker'], ['migrate'], ['pause'], ['dev']])(
  'arden %s ends with one line that says what to do',
  async command => {
    const { code, stderr } = await runArden([command], env)
    expect(
      stderr
        .split('\n')
        .filter(line => line !== '')
        .slice(-1),
    ).toEqual([
      expect.stringMatching(/^arden: The database at \S+ is read-only\. Point DATABASE_URL/),
    ])
    expect(stderr).toContain(todo)
    expect(stderr).not.toContain('PostgresError')
    expect(code).toBe(3)
  },
)

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { useDatabase } from '../../../test/support/database'
import { settings } from '../../config'
import { createAdmit } from '../../keys/admit'
import { registerRunningDev } from '../../local/data-dir'

const { sql, url: databaseUrl } = await useDatabase()
/** An empty data folder: no `dev` runs on it until a test registers one. */
const dataDir = await mkdtemp(join(tmpdir(), 'arden-keys-'))

afterAll(() => rm(dataDir, { recursive: true }))

/** Runs `arden <args>` as an operator does. */
const arden = async (
  args: string[],
  env: Record<string, string> = { DATABASE_URL: databaseUrl },
) => {
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = Bun.spawn(['bun', 'src/main.ts', ...args], {
    cwd: join(import.meta.dir, '../../..'),
    env: { ...inherited, ARDEN_DATA_DIR: dataDir, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, error, code }
}

const failed = (message: string | RegExp, code = 4) => ({
  out: '',
  error: expect.stringMatching(message),
  code,
})

// The tests run in this order on one database, as an operator starts with an empty one.

describe('arden accounts', () => {
  test('create, list and set-plan', async () => {
    expect(await arden(['keys', 'create', '--name', 'early'])).toEqual(
      failed(/^arden: There is no account yet\. Create one: .*\n$/),
    )
    const created = await arden(['accounts', 'create', '--name', 'Acme', '--json'])
    const account = JSON.parse(created.out)
    expect(account).toMatchObject({ name: 'Acme', monthly_generations: 100 })
    const changed = await arden(['accounts', 'set-plan', account.id, '--monthly-generations', '7'])
    expect(changed).toMatchObject({ code: 0, error: '' })
    const listed = await arden(['accounts', 'list'])
    expect(listed.out).toMatch(new RegExp(`^ID .*\\n${account.id}  Acme  7 .*\\n$`))
    expect(await arden(['accounts', 'set-plan', account.id, '--monthly-generations', ''])).toEqual(
      failed(/^arden: monthly_generations: must be a whole number from 0 to \d+\n$/),
    )
  })
})

describe('arden keys', () => {
  test('create --json prints the record with its value as one JSON object and nothing else', async () => {
    const args = ['--name', 'CI', '--mode', 'live', '--scopes', 'read', '--rate-limit', '50']
    const { out, error, code } = await arden(['keys', 'create', ...args, '--json'])
    expect({ error, code, lines: out.split('\n').length }).toEqual({ error: '', code: 0, lines: 2 })
    const key = JSON.parse(out)
    expect(key).toMatchObject({
      name: 'CI',
      mode: 'live',
      scopes: ['read'],
      rate_limit: 50,
      status: 'active',
    })
    expect(await createAdmit(sql)(key.key)).toMatchObject({
      outcome: 'accepted',
      caller: { actor: { id: key.id }, scopes: ['read'] },
      allowance: { limit: 50, left: 49 },
    })
    const [entry] = await sql`
      SELECT actor_type, actor_id, address FROM audit_entries WHERE subject_id = ${key.id}`
    expect(entry).toEqual({
      actor_type: 'cli',
      actor_id: `${userInfo().username}@${hostname()}`,
      address: null,
    })
  })

  test('create makes a test key with both scopes by default, and shows its value once', async () => {
    const { out, code } = await arden(['keys', 'create', '--name', 'mine'])
    expect(code).toBe(0)
    expect(out).toMatch(/^key +ar_test_[0-9A-Za-z]{38}$/m)
    expect(out).toMatch(/^scopes +read, write$/m)
    expect(out).toContain('shown only now')
    const value = /ar_test_\w+/.exec(out)?.[0] ?? ''
    const listed = await arden(['keys', 'list', '--json'])
    expect(listed.out).not.toContain(value)
    expect(JSON.parse(listed.out).map(({ name }: { name: string }) => name)).toEqual(['mine', 'CI'])
  })

  test('a revoked key is refused from then on, and revoking it again is an error of one line', async () => {
    const key = JSON.parse((await arden(['keys', 'create', '--name', 'gone', '--json'])).out)
    expect((await arden(['keys', 'revoke', key.id])).out).toStartWith(`Revoked ${key.id} (gone).`)
    expect(await createAdmit(sql)(key.key)).toEqual({ outcome: 'revoked' })
    expect(await arden(['keys', 'revoke', key.id])).toEqual(
      failed(new RegExp(`^arden: The key ${key.id} was revoked at .*\\n$`)),
    )
    expect((await arden(['keys', 'list', '--status', 'revoked'])).out).toContain(key.id)
  })

  test('invalid input is an error of one line that names the option', async () => {
    const create = (...args: string[]) => arden(['keys', 'create', '--name', 'x', ...args])
    expect(await create('--scopes', 'admin')).toEqual(failed(/^arden: scopes\.0: .*\n$/))
    expect(await create('--rate-limit', '0')).toEqual(failed(/^arden: rate_limit: .*\n$/))
    expect(await create('--expires-at', 'soon')).toEqual(failed(/^arden: expires_at: .*\n$/))
    expect(await create('--expires-at', '2020-01-01T00:00:00Z')).toEqual(
      failed(/^arden: expires_at: must be a time in the future\..*\n$/),
    )
    expect(await create('--mode', 'prod')).toEqual(failed(/Allowed choices are live, test/, 2))
    expect(await arden(['keys', 'revoke', 'key_nope'])).toEqual(failed(/^arden: No API key .*\n$/))
  })
})

describe('the database of a command', () => {
  test('without DATABASE_URL, is that of the dev that runs on ARDEN_DATA_DIR', async () => {
    expect(await arden(['keys', 'list'], {})).toEqual(
      failed(/^arden: DATABASE_URL is not set and no "arden dev" runs on .*\n$/, 1),
    )
    await registerRunningDev(dataDir, { databaseUrl, temporalAddress: '', url: '' })
    expect(await arden(['keys', 'list'], {})).toMatchObject({ code: 0, error: '' })
  })

  test('that cannot be reached or is not migrated is an error of one line', async () => {
    const away = { DATABASE_URL: 'postgres://127.0.0.1:1/arden' }
    expect(await arden(['keys', 'list'], away)).toEqual(
      failed(/^arden: The database at 127\.0\.0\.1:1\/arden cannot be reached: .*\n$/, 3),
    )
    const url = new URL(databaseUrl)
    url.pathname = '/postgres'
    expect(await arden(['keys', 'list'], { DATABASE_URL: url.href })).toEqual(
      failed(/^arden: The database at .* is not migrated\. Run: arden migrate\n$/, 1),
    )
  })

  test.each([
    ['closes every connection', (socket: Socket) => socket.end()],
    ['never answers', () => {}],
  ])('that %s ends a command and serve in one line, soon', async (_, take) => {
    const server = createServer(take).listen(0, '127.0.0.1')
    const address = server.address()
    const at = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}/arden`
    const env = { DATABASE_URL: `postgres://arden@${at}`, ARDEN_ENCRYPTION_KEY: 'ab'.repeat(32) }
    const began = performance.now()
    const [list, serve] = await Promise.all([arden(['keys', 'list'], env), arden(['serve'], env)])
    expect(performance.now() - began).toBeLessThan(40_000)
    const line = new RegExp(`^arden: The database at ${at} cannot be reached: .*\\n$`)
    expect([list, serve]).toEqual([failed(line, 3), failed(line, 3)])
    server.close()
  })

  test('serve and worker list every setting with --help', async () => {
    for (const role of ['serve', 'worker']) {
      const { out } = await arden([role, '--help'])
      const named = [...out.matchAll(/^ {2}([A-Z_0-9]+)$/gm)].map(([, name]) => name)
      expect(named).toEqual(Object.keys(settings))
    }
  })

  test('every command describes itself with --help', async () => {
    for (const command of ['create', 'list', 'revoke']) {
      const { out, code } = await arden(['keys', command, '--help'])
      expect(code).toBe(0)
      expect(out).toStartWith(`Usage: arden keys ${command} `)
    }
  })
})

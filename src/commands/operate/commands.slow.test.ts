import { describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { failed, useOperator } from '../../../test/support/operations/operator'
import { settings } from '../../config'
import { registerRunningDev } from '../../local/data-dir'

const { databaseUrl, dataDir, arden } = await useOperator()

test('invalid input is an error of one line that names the option', async () => {
  await arden(['accounts', 'create', '--name', 'Acme'])
  const create = (...args: string[]) => arden(['keys', 'create', '--name', 'x', ...args])
  expect(await create('--scopes', 'admin')).toEqual(
    failed(/'--scopes <scopes>' argument 'admin' is invalid\. It must be read, write, or both/, 2),
  )
  expect(await create('--rate-limit', '0')).toEqual(failed(/from 1 to 100000/, 2))
  expect(await create('--expires-at', 'tomorrow')).toEqual(
    failed(/'tomorrow' is invalid\. It must be a time in ISO 8601\. In 24 hours it is \d{4}-/, 2),
  )
  expect(await create('--expires-at', '2020-01-01T00:00:00Z')).toEqual(
    failed(/^arden: expires_at: must be a time in the future\..*\n$/),
  )
  expect(await create('--mode', 'prod')).toEqual(failed(/Allowed choices are live, test/, 2))
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
    ['never responds', () => {}],
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

import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readConfig } from '../../src/config'
import { connect } from '../../src/db/connect'
import { createLog } from '../../src/log'
import { start } from '../../src/start'
import { startPostgresWithTls } from '../support/db/postgres-tls'
import { testEnvironment } from '../support/environment'
import { createCertificateFiles } from '../support/network/certificate-files'
import { runArden } from '../support/process'

/** TLS to a real PostgreSQL whose certificate was issued by an authority of this test. */

type Server = Awaited<ReturnType<typeof startPostgresWithTls>>
type Database = Parameters<Server['url']>[0]

const files = await createCertificateFiles()
const server = await startPostgresWithTls(files)
afterAll(async () => {
  await server.stop()
  files.remove()
})

/** `parameters` name files by `$name`. */
const url = (database: Database, parameters: string, host = '127.0.0.1') => {
  const made = new URL(server.url(database))
  made.hostname = host
  made.search = parameters.replaceAll(/\$([\w.]+)/g, (_, name) => files.path(name))
  return made.href
}

const isEncrypted = async (...of: Parameters<typeof url>): Promise<boolean> => {
  const sql = connect(url(...of), { name: 'test', max: 1 })
  try {
    const [row] = await sql<[{ ssl: boolean }]>`
      SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    return row.ssl
  } finally {
    await sql.end({ timeout: 0 })
  }
}

describe('sslmode means what it means to libpq', () => {
  const CLIENT = 'sslcert=$arden.crt&sslkey=$arden.key'
  test.each<[Database, string, string, boolean]>([
    ['open', 'sslmode=disable', '127.0.0.1', false],
    ['secure', '', '127.0.0.1', true],
    ['secure', 'sslmode=prefer', '127.0.0.1', true],
    ['secure', 'sslmode=require', '127.0.0.1', true],
    ['secure', 'ssl=true', '127.0.0.1', true],
    ['secure', 'sslmode=require&channel_binding=prefer', '127.0.0.1', true],
    ['secure', 'sslmode=require&sslrootcert=$root.crt', 'localhost', true],
    ['secure', 'sslmode=verify-ca&sslrootcert=$root.crt', 'localhost', true],
    ['secure', 'sslmode=verify-full&sslrootcert=$root.crt', '127.0.0.1', true],
    [
      'secure',
      'sslmode=verify-full&sslrootcert=$root.crt&sslnegotiation=direct',
      '127.0.0.1',
      true,
    ],
    ['certified', `sslmode=verify-full&sslrootcert=$root.crt&${CLIENT}`, '127.0.0.1', true],
  ])('to the database %p with "%s", at %s', async (database, parameters, host, encrypted) => {
    expect(await isEncrypted(database, parameters, host)).toBe(encrypted)
  })

  test('prefer goes on without TLS where the server has none', async () => {
    const sql = connect(`${testEnvironment().databaseUrl}?sslmode=prefer`, { name: 'test', max: 1 })
    const [row] = await sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    await sql.end()
    expect(row).toEqual({ ssl: false })
  })
})

/** The error message of a start, without the folder of the files. */
const refusal = async (...of: Parameters<typeof url>): Promise<string> => {
  const config = readConfig({ DATABASE_URL: url(...of), LOG_LEVEL: 'fatal' })
  const running = await start(config, {}, createLog(config)).catch(error => error)
  return files.withoutDir(String(running.message)).replace(/:\d+\//, ':PORT/')
}

describe('a connection that cannot be trusted ends in one line that names the setting', () => {
  const FULL = 'sslmode=verify-full&sslrootcert=$root.crt'
  test.each<[string, Database, string, string, string]>([
    [
      'an authority that did not issue it',
      'secure',
      'sslmode=verify-full&sslrootcert=$stranger.crt',
      '127.0.0.1',
      'its certificate is not issued by an authority in sslrootcert. Set sslrootcert in DATABASE_URL, or PGSSLROOTCERT, to the file of its authority',
    ],
    [
      'also for verify-ca',
      'secure',
      'sslmode=verify-ca&sslrootcert=$stranger.crt',
      '127.0.0.1',
      'its certificate is not issued by an authority in sslrootcert. Set sslrootcert in DATABASE_URL, or PGSSLROOTCERT, to the file of its authority',
    ],
    [
      'also for require with a file',
      'secure',
      'sslmode=require&sslrootcert=$stranger.crt',
      '127.0.0.1',
      'its certificate is not issued by an authority in sslrootcert. Set sslrootcert in DATABASE_URL, or PGSSLROOTCERT, to the file of its authority',
    ],
    [
      'also with the authorities of the machine',
      'secure',
      'sslrootcert=system',
      '127.0.0.1',
      'its certificate is not issued by an authority in sslrootcert. Set sslrootcert in DATABASE_URL, or PGSSLROOTCERT, to the file of its authority',
    ],
    [
      'another name',
      'secure',
      FULL,
      'localhost',
      'its certificate does not match the host of DATABASE_URL. Use a name of the certificate as host, or sslmode=verify-ca, which does not compare names',
    ],
    [
      'no certificate of ours',
      'certified',
      FULL,
      '127.0.0.1',
      'it requires a client certificate. Set sslcert and sslkey in DATABASE_URL, or PGSSLCERT and PGSSLKEY',
    ],
    [
      'a client certificate of another authority',
      'certified',
      `${FULL}&sslcert=$forged.crt&sslkey=$forged.key`,
      '127.0.0.1',
      'it does not accept the certificate in sslcert. Set sslcert and sslkey in DATABASE_URL, or PGSSLCERT and PGSSLKEY, to a certificate of an authority that it trusts',
    ],
    [
      'no TLS where it is wanted',
      'secure',
      'sslmode=disable',
      '127.0.0.1',
      'it requires TLS. Set sslmode in DATABASE_URL, or PGSSLMODE, to require or verify-full',
    ],
    [
      'TLS where it is not wanted',
      'open',
      '',
      '127.0.0.1',
      'pg_hba.conf has no entry for this user with TLS. Add one, or set sslmode=disable in DATABASE_URL, or PGSSLMODE',
    ],
  ])('%s', async (_, database, parameters, host, says) => {
    expect(await refusal(database, parameters, host)).toBe(
      `The database at ${host}:PORT/${database} cannot be used: ${says}.`,
    )
  })

  test('a server without TLS', async () => {
    const config = readConfig({
      DATABASE_URL: `${testEnvironment().databaseUrl}?sslmode=require`,
      LOG_LEVEL: 'fatal',
    })
    const error = await start(config, {}, createLog(config)).catch(error => error)
    expect(error.message).toEndWith(
      'cannot be used: it does not support TLS. Enable TLS on the server, or set sslmode=prefer in DATABASE_URL, or PGSSLMODE. With sslnegotiation=direct it must be PostgreSQL 17 or newer.',
    )
  })
})

test.each([
  [
    'sslmode=allow',
    'sslmode is "allow", which is none of disable, prefer, require, verify-ca, verify-full',
  ],
  [
    'ssl=1',
    'ssl is "1"; use sslmode, which takes disable, prefer, require, verify-ca, verify-full',
  ],
  [
    'sslmode=verify-full',
    "sslrootcert is not set, but sslmode=verify-full requires it: the file of the authority that issued the server's certificate, or system for the authorities that this machine trusts",
  ],
  [
    'sslrootcert=system&sslmode=require',
    'sslmode is "require", but sslrootcert=system needs verify-full',
  ],
  [
    'sslrootcert=$root.crt',
    'sslmode is "prefer", which falls back to no TLS and verifies nothing, but sslrootcert is set; use verify-full',
  ],
  [
    'sslmode=require&sslrootcert=$missing.crt',
    'sslrootcert is /missing.crt, which cannot be read (ENOENT)',
  ],
  [
    'sslmode=require&sslrootcert=$nonsense.crt',
    'sslrootcert is /nonsense.crt, which has no PEM certificate',
  ],
  ['sslmode=require&sslcert=$arden.crt', 'sslkey is not set, but sslcert is'],
  ['sslmode=require&sslkey=$arden.key', 'sslcert is not set, but sslkey is'],
  [
    'sslmode=require&sslcert=$arden.crt&sslkey=$forged.key',
    'sslcert is /arden.crt and sslkey is /forged.key, which are not a PEM certificate and its unencrypted key',
  ],
  ['sslnegotiation=direct', 'sslnegotiation is "direct", which needs sslmode=require or stronger'],
  ['sslmode=require&sslcrl=x', 'sslcrl is not supported; remove it'],
  [
    'channel_binding=require',
    'channel_binding is "require", which Arden does not support; remove it',
  ],
])('"%s" is refused in one line before anything is sent', async (parameters, says) => {
  expect(await refusal('secure', parameters)).toStartWith(
    `${says}. It is a parameter of DATABASE_URL`,
  )
})

test("every connection of serve and worker is encrypted by libpq's variables, and migrate's", async () => {
  const env = {
    DATABASE_URL: server.url('certified'),
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: files.path('root.crt'),
    PGSSLCERT: files.path('arden.crt'),
    PGSSLKEY: files.path('arden.key'),
  }
  const migrated = await runArden(['migrate'], env)
  expect(migrated).toMatchObject({ code: 0, stderr: '' })

  const config = readConfig({
    ...env,
    PORT: '0',
    HOST: '127.0.0.1',
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    ARDEN_WORKFLOW_BUNDLE: testEnvironment().workflowBundle,
    ARDEN_TASK_QUEUE: `postgres-tls-${randomBytes(6).toString('hex')}`,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'fatal',
  })
  const running = await start(config, { serve: true, worker: true }, createLog(config))
  await running.ready
  expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
  const sql = connect(config.databaseUrl ?? '', { name: 'test', max: 1 })
  const all = await sql<{ name: string; ssl: boolean }[]>`
    SELECT application_name AS name, ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
    WHERE datname = current_database()`
  await sql.end()
  await running.stop()
  expect(all.length).toBeGreaterThan(3)
  expect(all.filter(one => !one.ssl)).toEqual([])
})

import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { startPostgresWithTls } from '../support/db/postgres-tls'
import { testEnvironment } from '../support/environment'
import { createCertificateFiles } from '../support/network/certificate-files'
import { startKeyGateway } from '../support/network/temporal-gateway'
import { builtArden } from '../support/operations/binary'
import { runArden, spawnArden } from '../support/process'
import { until } from '../support/until'

/** The binary, configured by variables alone: certificates in files, and a key for Temporal. */

const KEY = 'secret-of-temporal-cloud'

const files = await createCertificateFiles()
const postgres = await startPostgresWithTls(files)
const temporal = await startKeyGateway(testEnvironment().temporalAddress, files.own, KEY)
const program = [await builtArden()]
const env = {
  DATABASE_URL: postgres.url('certified'),
  PGSSLMODE: 'verify-full',
  PGSSLROOTCERT: files.path('root.crt'),
  PGSSLCERT: files.path('arden.crt'),
  PGSSLKEY: files.path('arden.key'),
  TEMPORAL_ADDRESS: temporal.address,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: files.path('root.crt'),
  TEMPORAL_API_KEY: KEY,
  ARDEN_TASK_QUEUE: `binary-tls-${randomBytes(6).toString('hex')}`,
  ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
}
afterAll(async () => {
  temporal.stop()
  await postgres.stop()
  files.remove()
})

test('the binary migrates and works with TLS and certificates to PostgreSQL and a key to Temporal', async () => {
  const migrated = await runArden(['migrate'], env, program)
  expect(migrated).toMatchObject({ code: 0, stderr: '' })
  expect(migrated.stdout).toContain('The search attributes are registered in Temporal.')

  const before = temporal.authorizations.length
  const worker = await spawnArden('worker', env, { program, logLevel: 'trace' })
  await until('it polls', () => temporal.authorizations.length > before + 10)
  expect(new Set(temporal.authorizations)).toEqual(new Set([`Bearer ${KEY}`]))
  const code = await worker.kill('SIGTERM')
  expect(code).toBe(0)
  const said = worker.lines.join('\n')
  for (const secret of [
    KEY,
    files.arden.key.split('\n')[1] ?? '',
    new URL(env.DATABASE_URL ?? '').password,
  ])
    expect(said).not.toContain(secret)
})

test.each([
  ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'stranger.crt'],
  ['PGSSLROOTCERT', 'stranger.crt'],
  ['PGSSLCERT', 'forged.crt'],
  ['PGSSLKEY', 'missing.key'],
])('a wrong %s ends a worker with one line that names it, and exit code 1', async (name, file) => {
  const { stderr, code } = await runArden(['worker'], { ...env, [name]: files.path(file) }, program)
  const lines = stderr.split('\n').filter(line => line.startsWith('arden: '))
  expect({ code, lines: lines.length }).toEqual({ code: 1, lines: 1 })
  expect(lines[0]).toContain(name)
})

test('a wrong TEMPORAL_API_KEY ends a worker with one line that does not show it', async () => {
  const { stderr, code } = await runArden(
    ['worker'],
    { ...env, TEMPORAL_API_KEY: 'wrong-key' },
    program,
  )
  expect(code).toBe(1)
  expect(stderr).toEndWith(
    `arden: Temporal at ${temporal.address} cannot be used: it refused the credentials. Set TEMPORAL_API_KEY to a key of the namespace, and TEMPORAL_NAMESPACE to its full name.\n`,
  )
  expect(stderr).not.toContain('wrong-key')
})

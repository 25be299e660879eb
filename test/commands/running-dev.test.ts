import { expect, test } from 'bun:test'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { identifyThisProcess } from '../../src/local/process'
import { useArden } from '../support/arden'
import { runArden } from '../support/process'

const arden = await useArden({ serve: true })

/** A folder, such as a repository from somewhere, whose record says that `dev` runs at `url`. */
const folderOf = async (record: object) => {
  const folder = await mkdtemp(join(tmpdir(), 'arden-folder-'))
  await mkdir(join(folder, 'data'))
  await Bun.write(join(folder, 'data/dev.json'), JSON.stringify(record))
  return join(folder, 'data')
}

test.each([
  ['has a process that does not run', { pid: 999_999_999 }, 'http://127.0.0.1:1'],
  ['is of another machine', undefined, 'http://api.example.test'],
])('a key is not sent to the URL of a record that %s', async (_, process, url) => {
  const data = await folderOf({
    process: process ?? (await identifyThisProcess()),
    databaseUrl: '',
    temporalAddress: '',
    url,
  })
  const { stderr } = await runArden(['deliveries', 'list'], {
    ARDEN_DATA_DIR: data,
    ARDEN_API_KEY: `ar_test_${'a'.repeat(40)}`,
  })
  expect(stderr).toContain('http://localhost:3000')
})

test('health serve checks the dev that runs on the folder, and with PORT another server', async () => {
  const data = await folderOf({
    process: await identifyThisProcess(),
    databaseUrl: '',
    temporalAddress: '',
    url: arden.url,
  })
  const [ofDev, ofPort] = await Promise.all([
    runArden(['health', 'serve'], { ARDEN_DATA_DIR: data }),
    runArden(['health', 'serve'], { ARDEN_DATA_DIR: data, PORT: '9' }),
  ])
  expect([ofDev.code, ofDev.stdout]).toEqual([0, expect.stringContaining(`${arden.url}/readyz`)])
  expect([ofPort.code, ofPort.stderr]).toEqual([1, expect.stringContaining(':9/readyz')])
})

test('health worker says that a worker is unhealthy where the database cannot be reached', async () => {
  const { code, stdout, stderr } = await runArden(['health', 'worker', '--json'], {
    DATABASE_URL: 'postgres://arden:x@127.0.0.1:9/arden',
  })
  expect([code, JSON.parse(stdout)]).toEqual([1, { well: false, host: hostname() }])
  expect(stderr).toContain('127.0.0.1:9/arden cannot be reached')
})

test('the link of an invitation leads to the server of the database that has it, not to a dev that runs on another', async () => {
  const linkOf = async (databaseUrl: string, env: Record<string, string>) => {
    const data = await folderOf({
      process: await identifyThisProcess(),
      databaseUrl,
      temporalAddress: '',
      url: 'http://localhost:4321',
    })
    const { stdout, stderr } = await runArden(
      ['users', 'invite', '--email', 'dora@example.com', '--json'],
      { ARDEN_DATA_DIR: data, ...env },
    )
    // Only where nothing says how the dashboard is reached.
    expect(stderr.includes('ARDEN_PUBLIC_URL is not set here')).toBe(env.PORT !== undefined)
    return new URL(JSON.parse(stdout).url).origin
  }
  const databaseUrl = arden.env.DATABASE_URL ?? ''
  expect(await linkOf(databaseUrl, {})).toBe('http://localhost:4321')
  expect(await linkOf(databaseUrl, { DATABASE_URL: databaseUrl })).toBe('http://localhost:4321')
  const production = { DATABASE_URL: databaseUrl, PORT: '4230' }
  expect(await linkOf('postgres://127.0.0.1:1/dev', production)).toBe('http://localhost:4230')
})

test('doctor looks at the port of the dev that runs on the folder', async () => {
  const data = await folderOf({
    process: await identifyThisProcess(),
    databaseUrl: 'postgres://127.0.0.1:1/none',
    temporalAddress: '127.0.0.1:1',
    url: arden.url,
  })
  const { stdout } = await runArden(['doctor'], { ARDEN_DATA_DIR: data })
  expect(stdout).toContain(`An Arden is running on port ${new URL(arden.url).port}.`)
})

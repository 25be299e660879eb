import { afterAll, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { send } from '../support/client'
import { testEnvironment } from '../support/environment'
import { quietPort } from '../support/network/quiet-ports'
import { startDev } from '../support/operations/dev'
import { runArden } from '../support/process'

/** `arden dev` started several times on one data folder. */

const folder = await mkdtemp(join(tmpdir(), 'arden-dev-'))
// The database server does not run as root, and its own user must reach the folder.
await chmod(folder, 0o755)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('arden dev', () => {
  test('keeps all data from one start to the next, after a stop and after a SIGKILL; prints its keys once', async () => {
    // A proxy is for other hosts: `dev` connects to its own servers directly.
    const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', grpc_proxy: 'http://127.0.0.1:1' }
    const env = {
      ARDEN_DATA_DIR: join(folder, 'kept'),
      PORT: String(await quietPort()),
      ...proxies,
    }
    const api = `http://127.0.0.1:${env.PORT}/api/public/v1`
    const first = await startDev(env)
    const [live] = /ar_live_\w{38}/.exec(first.output.text) ?? []
    const headers = { authorization: `Bearer ${live}`, 'content-type': 'application/json' }
    const project = await send(`${api}/projects`, {
      method: 'POST',
      headers,
      body: '{"name":"kept"}',
    })
    expect(project.status).toBe(201)

    // While it runs, commands of another terminal find it.
    const created = await runArden(
      ['keys', 'create', '--name', 'second', '--mode', 'live', '--json'],
      env,
    )
    expect([created.code, created.stdout.trim().split('\n').length]).toEqual([0, 1])
    const { key, name, mode } = JSON.parse(created.stdout)
    expect([name, mode]).toEqual(['second', 'live'])
    expect(
      (await send(`${api}/projects`, { headers: { authorization: `Bearer ${key}` } })).status,
    ).toBe(200)

    const other = await runArden(['dev'], { ...env, PORT: String(await quietPort()) })
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringMatching(/in use by another Arden/),
    ])

    // `bun run` passes on what the terminal sent to the group: one Ctrl-C arrives twice.
    expect(await first.stop('SIGINT', 'SIGINT')).toBe(0)
    const second = await startDev(env)
    expect(second.output.text).not.toMatch(/ar_(live|test)_\w{38}/)
    expect(
      (await send(`${api}/projects/${project.body.data.id}`, { headers })).body.data.name,
    ).toBe('kept')
    await second.stop('SIGKILL')
    const third = await startDev(env)
    expect((await send(`${api}/projects/${project.body.data.id}`, { headers })).status).toBe(200)
    expect(await third.stop('SIGTERM')).toBe(0)
  }, 500_000)

  test('a broken encryption key is one clear line, and a start that fails keeps the keys for the next', async () => {
    const env = {
      PORT: '0',
      ARDEN_DATA_DIR: join(folder, 'unstarted'),
      TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    }
    const unstarted = await runArden(['dev'], { ...env, HOST: '203.0.113.1' })
    expect([unstarted.code, unstarted.stderr]).toEqual([1, expect.stringContaining('Check HOST')])
    const file = join(env.ARDEN_DATA_DIR, 'encryption.key')
    const key = await Bun.file(file).text()
    await writeFile(file, '')
    const broken = await runArden(['dev'], env)
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining(`${file} is damaged`)])
    await writeFile(file, key)
    const started = await startDev(env)
    expect(started.output.text).toMatch(/ar_live_\w{38}/)
    await started.stop('SIGTERM')
  }, 240_000)
})

import { afterAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../src/local/ports'
import { send } from '../support/client'
import { testEnvironment } from '../support/environment'
import { person, tokenOf } from '../support/person'
import { runArden } from '../support/process'
import { until } from '../support/until'

/** `arden dev` as a person meets it: its one-line failures, its restarts, its keys, its link. */

const folder = await mkdtemp(join(tmpdir(), 'arden-dev-'))
// The database server does not run as root, and its own user must reach the folder.
await chmod(folder, 0o755)
afterAll(() => rm(folder, { recursive: true, force: true }))

const MAIN = join(import.meta.dir, '../../src/main.ts')

const startDev = async (env: Record<string, string>) => {
  const child = Bun.spawn([process.execPath, MAIN, 'dev'], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = { text: '' }
  const collect = async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream()))
      output.text += chunk
  }
  const closed = collect()
  await until(
    'dev is ready',
    () => {
      if (child.exitCode !== null) throw new Error('dev ended')
      return output.text.includes('stops everything')
    },
    60,
  )
  return {
    output,
    stop: async (...signals: NodeJS.Signals[]) => {
      for (const signal of signals) child.kill(signal)
      await closed
      return await child.exited
    },
  }
}

const oneLine = /^arden: [^\n]+\n$/

describe('arden dev', () => {
  test('keeps all data from one start to the next, after a stop and after a SIGKILL; shows keys once', async () => {
    // A proxy of the machine is for what is elsewhere: `dev` asks its own servers directly.
    const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', grpc_proxy: 'http://127.0.0.1:1' }
    const env = {
      ARDEN_DATA_DIR: join(folder, 'kept'),
      PORT: String(await findFreePort()),
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

    const [, link] = /\/dashboard\/sign-in\/link#(\S+)/.exec(first.output.text) ?? []
    const nobody = person(`http://127.0.0.1:${env.PORT}`)
    const signedIn = await nobody('POST', '/open/link/sign-in', { token: link })
    const me = await person(`http://127.0.0.1:${env.PORT}`, tokenOf(signedIn))('GET', '/me')
    expect(me.body.data.person).toMatchObject({ email: 'dev@localhost', role: 'owner' })
    expect((await nobody('POST', '/open/link/sign-in', { token: link })).status).toBe(404)

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

    const twin = await runArden(['dev'], { ...env, PORT: String(await findFreePort()) })
    expect([twin.code, twin.stderr]).toEqual([1, expect.stringMatching(/in use by another Arden/)])

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
  }, 120_000)

  test('a port in use is one clear line and exit code 1', async () => {
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const port = String(taken.port)
    const { code, stderr } = await runArden(['dev'], {
      PORT: port,
      ARDEN_DATA_DIR: join(folder, 'port'),
    })
    taken.stop()
    expect([code, stderr]).toEqual([1, expect.stringMatching(oneLine)])
    expect(stderr).toContain(`Port ${port} is in use`)
  })

  test('a broken data folder is one clear line and exit code 1', async () => {
    const dir = join(folder, 'broken')
    await mkdir(dir)
    await writeFile(join(dir, 'postgres'), 'not a folder')
    const env = { PORT: '0', ARDEN_DATA_DIR: dir, TEMPORAL_ADDRESS: '127.0.0.1:1' }
    const { code, stderr } = await runArden(['dev'], env)
    expect([code, stderr.split('\n').filter(line => line.startsWith('arden: ')).length]).toEqual([
      1, 1,
    ])
    expect(stderr).toContain(dir)
  })

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
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining(`${file} is broken`)])
    await writeFile(file, key)
    const started = await startDev(env)
    expect(started.output.text).toMatch(/ar_live_\w{38}/)
    await started.stop('SIGTERM')
  })

  test('an unreachable DATABASE_URL is one clear line and an exit code of its own, without its password', async () => {
    const env = {
      PORT: '0',
      ARDEN_DATA_DIR: join(folder, 'away'),
      DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/arden',
      TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    }
    const { code, stderr } = await runArden(['dev'], env)
    expect(code).toBe(3)
    expect(stderr).toContain('127.0.0.1:1/arden')
    expect(stderr).not.toContain('hunter2')
  })

  test('a wrong setting is one line that names it', async () => {
    for (const [name, value] of [
      ['PORT', 'http'],
      ['ARDEN_ENCRYPTION_KEY', 'short'],
      ['ARDEN_IN_FLIGHT', '0'],
      ['TEMPORAL_ADDRESS', 'not an address'],
      ['ARDEN_TRUSTED_PROXIES', 'nobody'],
      ['DATABASE_URL', 'mysql://x'],
    ] as const) {
      const { code, stderr } = await runArden(['dev'], {
        [name]: value,
        ARDEN_DATA_DIR: join(folder, 'wrong'),
      })
      expect([code, stderr]).toEqual([1, expect.stringMatching(oneLine)])
      expect(stderr).toStartWith(`arden: ${name} `)
    }
  })
})

describe('every command', () => {
  test.each([
    [],
    ['dev'],
    ['serve'],
    ['worker'],
    ['migrate'],
    ['keys'],
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'revoke'],
    ['accounts', 'create'],
    ['accounts', 'list'],
    ['accounts', 'set-plan'],
    ['users', 'invite'],
    ['users', 'list'],
    ['users', 'disable'],
    ['users', 'enable'],
  ])('explains itself with --help: arden %s %s', async (...command) => {
    const { code, stdout } = await runArden([...command.filter(Boolean), '--help'], {})
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: arden ${command.join(' ')}`.trim())
  })

  test('serve and worker name the setting that is missing', async () => {
    for (const role of ['serve', 'worker']) {
      const { code, stderr } = await runArden([role], {})
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^arden: DATABASE_URL is not set/)])
    }
  })
})

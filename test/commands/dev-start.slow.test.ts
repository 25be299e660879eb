import { afterAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cliActor } from '../../src/accounts/cli-actor'
import { ensureFirstAccount } from '../../src/accounts/store'
import { connect } from '../../src/db/connect'
import { findRunningDev } from '../../src/local/data-dir'
import { createPerson } from '../../src/people/store'
import { send } from '../support/client'
import { useDatabase } from '../support/database'
import { rolePrivileges } from '../support/db/role'
import { testEnvironment } from '../support/environment'
import { person, tokenOf } from '../support/http/person'
import { quietPort } from '../support/network/quiet-ports'
import { startDev } from '../support/operations/dev'
import { runArden } from '../support/process'
import { until } from '../support/until'

/** `arden dev` as a person meets it: its one-line failures, its restarts, its keys, its link. */

const folder = await mkdtemp(join(tmpdir(), 'arden-dev-'))
// The database server does not run as root, and its own user must reach the folder.
await chmod(folder, 0o755)
afterAll(() => rm(folder, { recursive: true, force: true }))

const oneLine = /^arden: [^\n]+\n$/

describe('arden dev', () => {
  test('starts with nothing set, prints its keys and a link that signs in once, and stops on two SIGINTs', async () => {
    // A proxy is for other hosts: `dev` connects to its own servers directly.
    const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', grpc_proxy: 'http://127.0.0.1:1' }
    const env = {
      ARDEN_DATA_DIR: join(folder, 'started'),
      PORT: String(await quietPort()),
      ...proxies,
    }
    const site = `http://localhost:${env.PORT}`
    const api = `${site}/api/public/v1`
    const dev = await startDev(env)
    expect(dev.output.text).toContain(`Dashboard    ${site}/dashboard/sign-in/link#`)
    const [live] = /ar_live_\w{38}/.exec(dev.output.text) ?? []
    const headers = { authorization: `Bearer ${live}`, 'content-type': 'application/json' }
    const project = await send(`${api}/projects`, {
      method: 'POST',
      headers,
      body: '{"name":"p"}',
    })
    expect(project.status).toBe(201)

    // Commands of this folder find its port.
    const { ARDEN_DATA_DIR } = env
    const listed = await runArden(['deliveries', 'list', '--json'], {
      ARDEN_DATA_DIR,
      ARDEN_API_KEY: live ?? '',
    })
    expect([listed.code, listed.stderr]).toEqual([0, ''])

    const running = await findRunningDev(env.ARDEN_DATA_DIR)
    const sql = connect(running?.databaseUrl ?? '', { name: 'test', max: 1 })
    expect(await rolePrivileges(sql)).toEqual({ attributes: [], owns: ['arden'], memberOf: [] })
    await sql.end()

    const [, link] = /\/dashboard\/sign-in\/link#(\S+)/.exec(dev.output.text) ?? []
    const signedOut = person(site)
    const signedIn = await signedOut('POST', '/open/link/sign-in', { token: link })
    const me = await person(site, tokenOf(signedIn))('GET', '/me')
    expect(running?.url).toBe(site)
    expect(me.body.data.person).toMatchObject({ email: 'dev@localhost', role: 'owner' })
    expect((await signedOut('POST', '/open/link/sign-in', { token: link })).status).toBe(404)

    // Emails are shown instead of sent.
    const owner = person(site, tokenOf(signedIn))
    const invitation = { email: 'ada@example.com', role: 'member' }
    const invited = await owner('POST', '/people/invitations', invitation)
    expect(invited.body.data.sent_to).toBe('ada@example.com')
    await until('the invitation is shown', async () => {
      const mails = await (await fetch(`${site}/dashboard/mail`)).text()
      return mails.includes('Join Default on Arden') && mails.includes(`${site}/dashboard/sign-in`)
    })
    // By its name: there are no passkeys for an address.
    expect((await owner('POST', '/me/passkeys/options', {})).status).toBe(200)

    const disabled = await runArden(['users', 'disable', 'dev@localhost'], { ARDEN_DATA_DIR })
    expect(disabled.code).toBe(0)
    // `bun run` passes on what the terminal sent to the group: one Ctrl-C arrives twice.
    expect(await dev.stop('SIGINT', 'SIGINT')).toBe(0)

    const again = await startDev(env)
    expect(again.output.text).toContain('users enable dev@localhost')
    expect(await again.stop('SIGINT')).toBe(0)
  }, 240_000)

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

  describe('with DATABASE_URL', async () => {
    const { url, sql } = await useDatabase()
    const env = {
      PORT: '0',
      ARDEN_DATA_DIR: join(folder, 'elsewhere'),
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    }
    test('refuses the database of an installation, in one line, and changes nothing', async () => {
      const account = await sql.begin(tx => ensureFirstAccount(tx, cliActor()))
      const refused = async () => {
        const { code, stderr } = await runArden(['dev'], env)
        expect([code, stderr]).toEqual([1, expect.stringMatching(oneLine)])
        expect(stderr).toContain('is that of an installation')
      }
      await refused()
      expect(await sql`SELECT FROM people`).toHaveLength(0)
      // One where `dev` ran before this rule, and its user was disabled since.
      await sql.begin(tx => createPerson(tx, account?.id ?? '', 'dev@localhost', 'owner'))
      await sql`UPDATE people SET disabled_at = now()`
      await refused()
    })

    test('leaves the database of another application to the check of migrate', async () => {
      const other = await useDatabase({ unmigrated: true })
      await other.sql`CREATE TABLE people (id int)`
      const { code, stderr } = await runArden(['dev'], { ...env, DATABASE_URL: other.url })
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('\narden: The database has tables (people)'),
      ])
    })
  })

  test('a wrong setting is one line that names it', async () => {
    const wrong = [
      ['PORT', 'http'],
      ['ARDEN_ENCRYPTION_KEY', 'short'],
      ['ARDEN_IN_FLIGHT', '0'],
      ['TEMPORAL_ADDRESS', 'not an address'],
      ['ARDEN_TRUSTED_PROXIES', 'nobody'],
      ['DATABASE_URL', 'mysql://x'],
      ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ] as const
    await Promise.all(
      wrong.map(async ([name, value]) => {
        const { code, stderr } = await runArden(['dev'], {
          [name]: value,
          ARDEN_DATA_DIR: join(folder, 'wrong'),
        })
        expect([code, stderr]).toEqual([1, expect.stringMatching(oneLine)])
        expect(stderr).toStartWith(`arden: ${name} `)
      }),
    )
  })
})

describe('serve and worker', () => {
  test('refuse to start without certificate checks, and say what to do', async () => {
    for (const role of ['serve', 'worker']) {
      const { code, stderr } = await runArden([role], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
      expect([role, code]).toEqual([role, 1])
      expect(stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED is 0')
      expect(stderr).toContain('Remove it')
    }
  })

  test('warn of a setting that is misspelled', async () => {
    const { stderr } = await runArden(['serve'], {
      DATABASE_URL: 'postgres://arden@127.0.0.1:1/arden',
      ARDEN_ENCRYPTION_KEY: 'a'.repeat(64),
      ARDEN_RETENTION_DAY: '5',
    })
    expect(stderr).toContain('ARDEN_RETENTION_DAY is not a setting of Arden')
  })

  test('name the setting that is missing', async () => {
    for (const role of ['serve', 'worker']) {
      const { code, stderr } = await runArden([role], {})
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^arden: DATABASE_URL is not set/)])
    }
  })
})

import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createDatabase } from '../support/database'
import { testEnvironment } from '../support/environment'
import { person } from '../support/http/person'
import { tokenIn, useMailServer } from '../support/mail/server'
import { quietPort } from '../support/network/quiet-ports'
import { followSignIn } from '../support/oidc/browser'
import { useOidcProvider } from '../support/oidc/provider'
import { builtArden } from '../support/operations/binary'
import { createAuthenticator } from '../support/passkeys/authenticator'
import { runArden, spawnArden } from '../support/process'

/** The binary has the libraries of email, OpenID Connect and passkeys inside. */

const port = await quietPort()
const publicUrl = `http://localhost:${port}`
const redirectUri = `${publicUrl}/dashboard/sign-in/oidc`
const server = await useMailServer()
const provider = await useOidcProvider(redirectUri)
const database = await createDatabase()
const program = [await builtArden()]
const env = {
  PORT: String(port),
  HOST: '127.0.0.1',
  DATABASE_URL: database.url,
  TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
  ARDEN_TASK_QUEUE: `binary-sign-in-${randomBytes(6).toString('hex')}`,
  ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  ARDEN_PUBLIC_URL: publicUrl,
  ARDEN_SMTP_URL: server.url,
  ARDEN_MAIL_FROM: 'arden@example.com',
  ...provider.settings,
}
afterAll(() => database.drop())

test('a user is invited by email, signs in with a provider, adds a passkey and signs in with it', async () => {
  const account = await runArden(['accounts', 'create', '--name', 'Acme', '--json'], env, program)
  const ofAccount = ['--account', JSON.parse(account.stdout).id]
  const invited = await runArden(
    ['users', 'invite', ...ofAccount, '--role', 'owner', '--email', 'ada@example.com', '--json'],
    env,
    program,
  )
  expect(invited.code).toBe(0)
  const invitation = new URL(JSON.parse(invited.stdout).url).hash.slice(1)
  const arden = await spawnArden('serve', env, { program, options: ['--worker'] })
  const call = (token?: string) => {
    const as = person(`http://127.0.0.1:${port}`, token)
    return (method: string, path: string, body: unknown, headers = {}) =>
      as(method, path, body, { origin: publicUrl, host: `localhost:${port}`, ...headers })
  }
  const sessionOf = ({ headers }: { headers: Headers }) =>
    call(/__Host-arden=([^;]+)/.exec(headers.getSetCookie().join('\n'))?.[1])

  provider.signInAs({ sub: 'ada', email: 'ada@example.com' })
  const begun = await call()('POST', '/open/oidc', {})
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
  const query = await followSignIn(begun.body.data.url, redirectUri)
  const ada = sessionOf(
    await call()('POST', '/open/oidc/sign-in', { query, invitation }, { cookie }),
  )

  await ada('POST', '/people/invitations', { email: 'bob@example.com', role: 'viewer' })
  expect(tokenIn(await server.mailTo('bob@example.com'))).not.toBe('')

  const authenticator = createAuthenticator({ origin: publicUrl, host: 'localhost' })
  const toAdd = (await ada('POST', '/me/passkeys/options', {})).body.data.challenge
  const passkey = { name: 'Laptop', ...authenticator.register(toAdd) }
  expect((await ada('POST', '/me/passkeys', passkey)).status).toBe(201)
  const toUse = (await call()('POST', '/open/passkey/options', {})).body.data.challenge
  const signedIn = await call()('POST', '/open/passkey/sign-in', authenticator.use(toUse))
  expect(signedIn.status).toBe(200)
  expect(await arden.kill('SIGTERM')).toBe(0)
}, 120_000)

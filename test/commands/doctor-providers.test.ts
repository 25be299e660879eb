import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { checkSystem } from '../../src/doctor/run'
import { useArden } from '../support/arden'
import { checkHere, one } from '../support/commands/doctor'
import { startAnthropic, streamedMessage } from '../support/content/anthropic'
import { refusal, useLlm } from '../support/content/llm'
import { SERP_KEY, useSerp } from '../support/content/serp'
import { startMailServer } from '../support/mail/server'
import { createAuthority } from '../support/network/certificates'
import { useOidcProvider } from '../support/oidc/provider'
import { stopAfterTests } from '../support/stop-after-tests'

/** What `arden doctor` says of the language model, the SERP provider, the mail server and the sign-in provider. */

const KEY = 'sk-proj-0123456789abcdef'
let respond = () => refusal(401, `Incorrect API key provided: ${KEY}, or sk-pr**def.`)
const llm = useLlm(() => respond())
const arden = await useArden({ serve: true })
const PUBLIC_URL = 'https://arden.example.com'
const { settings, issuer } = await useOidcProvider(`${PUBLIC_URL}/dashboard/sign-in/oidc`)
const live = await arden.client()
/** A server whose certificate an authority of a company has issued. */
const company = await createAuthority('Authority of the company')
const tls = await company.issue('arden', 'server', [{ type: 'ip', value: '127.0.0.1' }])
const companyServer = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls,
  fetch: () => new Response(),
})
stopAfterTests({ stop: () => companyServer.stop(true) })
const companyUrl = companyServer.url.origin

const check = async (name: string, env = {}) => one(await checkHere({ ...arden.env, ...env }), name)

const { id: project_id } = (await live.post('/projects', { name: 'Blog' })).body.data
const { id } = (await live.post(`/projects/${project_id}/keywords`, { keyword: 'brew' })).body.data
const newGeneration = async (changes: object) => {
  const generation = await live.post('/generations', { keyword_id: id })
  await arden.sql`UPDATE generations SET ${arden.sql(changes)} WHERE id = ${generation.body.data.id}`
}
const reportWorker = (...providers: string[]) => arden.sql`
  INSERT INTO workers (id, slots, providers) VALUES ('here', 1, ${providers})
  ON CONFLICT (id) DO UPDATE SET providers = EXCLUDED.providers, seen_at = clock_timestamp()`

test('nothing is said of providers while no worker runs', async () => {
  expect(await check('language model')).toMatchObject({
    status: 'ok',
    found: 'Not known: no worker runs.',
  })
  expect(await check('rank tracking')).toMatchObject({ status: 'ok' })
})

test('generations without a language model, and tracked keywords without a provider, are warnings', async () => {
  await reportWorker()
  expect(await check('language model')).toMatchObject({ status: 'ok' })
  await newGeneration({ status: 'COMPLETED', offline_draft: true })
  expect(await check('language model')).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('1 of the last 1 live generations are outlines'),
  })
  expect(await check('rank tracking')).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('No SERP provider'),
  })
  await reportWorker('live', 'serp')
  expect(await check('language model')).toMatchObject({ status: 'ok' })
  expect(await check('rank tracking')).toMatchObject({ status: 'ok' })
})

test('a worker without the providers that others have is named', async () => {
  await reportWorker('live', 'serp')
  await arden.sql`INSERT INTO workers (id, slots, providers) VALUES ('without', 1, '{}')`
  expect(await check('language model')).toMatchObject({
    status: 'warn',
    found:
      'The worker without has no language model: live generations that it takes are outlines of the offline provider.',
    todo: 'Give every worker the same ARDEN_LLM_ settings, and restart them.',
  })
  expect(await check('rank tracking')).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('The worker without has no SERP provider'),
  })
  await arden.sql`INSERT INTO workers (id, slots, providers) VALUES ('without-2', 1, '{}')`
  const config = readConfig({ ...arden.env })
  // As the owner of an account sees it.
  expect(one(await checkSystem({ config, sql: arden.sql }), 'language model')?.found).toStartWith(
    'A worker has no language model, and neither does one other: ',
  )
  await reportWorker()
  expect(await check('language model', llm.env)).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('No running worker has a language model, and this command has'),
  })
  await arden.sql`DELETE FROM workers WHERE starts_with(id, 'without')`
})

test('a generation that failed is a warning with its reason', async () => {
  await reportWorker('live')
  const error = { error_code: 'provider_rejected', error_message: 'The provider rejected it.' }
  await newGeneration({ status: 'FAILED', ...error })
  const finding = {
    status: 'warn',
    found: expect.stringMatching(/^1 of the last 2 .* The provider rejected it\.$/),
  }
  expect(await check('language model')).toMatchObject(finding)
  // Those for a reason of the user say nothing of the model.
  for (const error_code of ['check_failed', 'article_changed', 'stopped'])
    await newGeneration({ status: 'FAILED', error_code, error_message: 'Not the model.' })
  expect(await check('language model')).toMatchObject(finding)
})

test('each provider is called once: one that responds is ok, with its model', async () => {
  const claude = startAnthropic(() => streamedMessage(['OK'], { stopReason: 'max_tokens' }))
  const env = {
    ARDEN_LLM_PROVIDERS: 'claude,backup',
    ARDEN_LLM_CLAUDE_API: 'anthropic',
    ARDEN_LLM_CLAUDE_BASE_URL: claude.url,
    ARDEN_LLM_CLAUDE_API_KEY: 'sk-ant-test',
    ARDEN_LLM_CLAUDE_MODEL: 'sonnet=3/15,haiku',
    ARDEN_LLM_BACKUP_BASE_URL: 'http://127.0.0.1:1/v1',
    ARDEN_LLM_BACKUP_API_KEY: KEY,
    ARDEN_LLM_BACKUP_MODEL: 'm',
  }
  expect(await check('language model claude', env)).toMatchObject({
    status: 'ok',
    found: expect.stringMatching(
      /^claude \(127\.0\.0\.1:\d+\) responds with the model sonnet, in /,
    ),
  })
  expect(claude.requests.map(({ body }) => [body.model, body.max_tokens])).toEqual([['sonnet', 16]])
  expect(await check('language model backup', env)).toMatchObject({
    status: 'fail',
    found: 'The provider cannot be reached.',
    todo: 'Check ARDEN_LLM_BACKUP_BASE_URL and the outgoing network.',
  })
  await claude.stop()
})

test.each(['openai', 'anthropic'])(
  'for a certificate of a private authority, says how that of %s is trusted',
  async ARDEN_LLM_API => {
    const env = { ...llm.env, ARDEN_LLM_API, ARDEN_LLM_BASE_URL: companyUrl }
    expect(await check('language model default', env)).toMatchObject({
      status: 'fail',
      found: 'No trusted authority has issued the certificate of the provider.',
      todo: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    })
  },
)

test('a wrong key is a failure with the text of the provider, without the key', async () => {
  const rejected = await check('language model default', { ...llm.env, ARDEN_LLM_API_KEY: KEY })
  expect(rejected).toMatchObject({ status: 'fail', todo: 'Correct ARDEN_LLM_API_KEY.' })
  expect(rejected?.found).toContain('The provider rejected the request (401).')
  expect(rejected?.found).toContain('Incorrect API key provided: [key], or [key]')
  expect(rejected?.found).not.toContain('0123456789')
})

test.each([
  [429, 'rate_limit_exceeded', 'warn', 'Test again later. Generations wait'],
  [429, 'insufficient_quota', 'fail', 'Add credit to the account of ARDEN_LLM_API_KEY'],
  [404, 'model_not_found', 'fail', 'Correct ARDEN_LLM_MODEL'],
  [503, 'overloaded', 'warn', 'Test again later.'],
] as const)('%i %s is shown with what to do', async (status, code, expected, todo) => {
  respond = () => refusal(status, code)
  expect(await check('language model default', llm.env)).toMatchObject({
    status: expected,
    todo: expect.stringContaining(todo),
  })
})

test('the dashboard shows owners of accounts nothing of it, and asks for nothing', async () => {
  const before = llm.requests.length
  const config = readConfig({ ...arden.env, ...llm.env })
  await reportWorker('live')
  await newGeneration({
    status: 'FAILED',
    error_code: 'provider_rejected',
    error_message: 'That of another account.',
  })
  const checks = await checkSystem({ config, sql: arden.sql })
  expect(one(checks, 'language model default')).toBeUndefined()
  expect(one(checks, 'language model')?.found).toBe('A language model is configured.')
  expect(llm.requests).toHaveLength(before)
})

test('a refusal without an end is shown from its beginning', async () => {
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: controller => controller.enqueue(new Uint8Array(65_536).fill(0x78)),
      }),
      { status: 401 },
    )
  respond = endless
  const { found = '' } = (await check('language model default', llm.env)) ?? {}
  expect(found).toContain('Its response: 401 xxx')
  expect(found.length).toBeLessThan(400)
})

describe('the key of a SERP provider is tested with one request that costs nothing', () => {
  const serp = {
    serpapi: useSerp('serpapi', () => Response.json({ total_searches_left: 5958 })),
    serper: useSerp('serper', () => Response.json({ balance: 2492, rateLimit: 5 })),
    dataforseo: useSerp('dataforseo', () =>
      Response.json({
        status_code: 20000,
        cost: 0,
        tasks: [{ status_code: 20000, result: [{ login: 'l', money: { balance: 12.5 } }] }],
      }),
    ),
  }
  const envOf = (name: keyof typeof serp) => ({
    ARDEN_SERP_PROVIDER: name,
    ARDEN_SERP_URL: serp[name].config.url,
    ARDEN_SERP_API_KEY: SERP_KEY,
  })

  test.each([
    ['serpapi', '/account.json', 'SerpApi accepts the key: 5958 searches left.'],
    ['serper', '/account', 'Serper.dev accepts the key: 2492 credits left.'],
    ['dataforseo', '/v3/appendix/user_data', 'DataForSEO accepts the key: 12.5 US dollars left.'],
  ] as const)('%s', async (name, path, found) => {
    expect(await check('SERP provider', envOf(name))).toMatchObject({ status: 'ok', found })
    expect(serp[name].requests.map(({ method, url }) => [method, url.pathname])).toEqual([
      ['GET', path],
    ])
  })

  test('an account without searches is a warning, a wrong key a failure without the key', async () => {
    serp.serpapi.given.respond = () => Response.json({ total_searches_left: 0 })
    expect(await check('SERP provider', envOf('serpapi'))).toMatchObject({
      status: 'warn',
      todo: 'Add credit there.',
    })
    const error = `Invalid API key: ${SERP_KEY}`
    serp.serpapi.given.respond = () => Response.json({ error }, { status: 401 })
    const refused = await check('SERP provider', envOf('serpapi'))
    expect(refused).toMatchObject({ status: 'fail', todo: 'Correct ARDEN_SERP_API_KEY.' })
    expect(refused?.found).toContain('SerpApi responded with 401: Invalid API key: [key]')
    expect(refused?.found).not.toContain('0123456789')
  })

  test('a server that cannot be reached fails, and a service of the operator is not called', async () => {
    const away = { ...envOf('serper'), ARDEN_SERP_URL: 'http://127.0.0.1:1' }
    expect(await check('SERP provider', away)).toMatchObject({
      status: 'fail',
      found: 'Serper.dev cannot be reached.',
    })
    const own = { ...envOf('serper'), ARDEN_SERP_PROVIDER: 'http' }
    expect(await check('SERP provider', own)).toMatchObject({
      status: 'ok',
      found: expect.stringContaining('is not tested'),
    })
    await reportWorker()
    await arden.sql`UPDATE keywords SET tracked = false`
    expect(await check('rank tracking', own)).toMatchObject({ status: 'ok' })
    await arden.sql`UPDATE keywords SET tracked = true`
    expect(await check('rank tracking', own)).toMatchObject({
      status: 'warn',
      found: expect.stringContaining('No running worker has a SERP provider'),
    })
    expect(serp.serper.requests).toEqual([])
  })
})

test('a mail server that offers no sign-in, which the settings have, is a warning', async () => {
  const server = await startMailServer({ disabledCommands: ['AUTH', 'STARTTLS'] })
  const finding = await check('email', {
    ARDEN_SMTP_URL: server.url.replace('//', '//arden:secret@'),
    ARDEN_MAIL_FROM: 'arden@example.com',
    ARDEN_PUBLIC_URL: PUBLIC_URL,
  })
  expect(finding?.status).toBe('warn')
  expect(finding?.found).toContain('offers no sign-in')
  await server.stop()
})

test('for a mail server of a private authority, says how that is trusted', async () => {
  const server = await startMailServer({ secure: true, ...tls })
  expect(
    await check('email', {
      ARDEN_SMTP_URL: server.url.replace('smtp:', 'smtps:'),
      ARDEN_MAIL_FROM: 'arden@example.com',
      ARDEN_PUBLIC_URL: PUBLIC_URL,
    }),
  ).toMatchObject({ status: 'fail', todo: expect.stringContaining('NODE_EXTRA_CA_CERTS') })
  await server.stop()
})

test('a mail server that does not respond fails, and emails that wait for it are a warning', async () => {
  const server = await startMailServer()
  const email = {
    ARDEN_SMTP_URL: server.url,
    ARDEN_MAIL_FROM: 'arden@example.com',
    ARDEN_PUBLIC_URL: PUBLIC_URL,
  }
  expect(await check('email')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('not set'),
  })
  expect(await check('email', email)).toMatchObject({
    status: 'ok',
    found: expect.stringContaining(
      'Whether it accepts arden@example.com as the sender shows with the first email.',
    ),
  })
  await arden.sql`
    INSERT INTO mails (kind, recipient, data, attempts, error, expires_at)
    VALUES ('password_reset', 'a@example.com', '{}', 1, '451 later', now() + interval '1 hour')`
  expect(await check('email', email)).toMatchObject({
    status: 'warn',
    found: '1 email waits for another try, the latest after: 451 later.',
  })
  await server.stop()
  expect(await check('email', email)).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('cannot be used'),
  })
})

test('a sign-in provider that does not respond, refuses the client, or is another issuer, fails', async () => {
  const checkWith = (changed: object) =>
    check('single sign-on', { ...settings, ARDEN_PUBLIC_URL: PUBLIC_URL, ...changed })
  const checkIssuer = (ARDEN_OIDC_ISSUER: string) => checkWith({ ARDEN_OIDC_ISSUER })
  expect(await checkIssuer(issuer)).toMatchObject({
    status: 'ok',
    found: `${issuer} responds, and accepts the client.`,
  })
  for (const wrong of [
    { ARDEN_OIDC_CLIENT_SECRET: 'mistyped' },
    { ARDEN_OIDC_CLIENT_ID: 'mistyped' },
  ])
    expect(await checkWith(wrong)).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('invalid_client'),
      todo: expect.stringContaining('ARDEN_OIDC_CLIENT_SECRET'),
    })
  expect(await checkIssuer(issuer.replace('127.0.0.1', 'localhost'))).toMatchObject({
    status: 'fail',
    found: expect.stringContaining(`its metadata names another issuer, ${issuer}.`),
  })
  expect(await checkIssuer(`${issuer}/realm`)).toMatchObject({
    status: 'fail',
    found: expect.stringMatching(
      /realm\/\.well-known\/openid-configuration responded with 404 and /,
    ),
  })
  expect(await checkIssuer('http://127.0.0.1:1')).toMatchObject({ status: 'fail' })
  expect(await checkIssuer(companyUrl)).toMatchObject({
    status: 'fail',
    todo: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
  expect(await check('single sign-on')).toBeUndefined()
})

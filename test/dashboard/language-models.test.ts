import { expect, test } from 'bun:test'
import type { LanguageModels } from '../../src/dashboard/language-models/routes'
import { useArden } from '../support/arden'
import { streamedMessage, useAnthropic } from '../support/content/anthropic'
import { refusal, useLlm } from '../support/content/llm'
import { person, sessionToken } from '../support/http/person'
import { until } from '../support/until'

/** The language models of the workers in the dashboard, and their test with one small call each. */

const KEY = 'sk-proj-0123456789abcdef'
const claude = useAnthropic(() => streamedMessage(['OK']))
const backup = useLlm(() => refusal(401, `Incorrect API key provided: ${KEY}. Org org-acme.`))
const settings = {
  ARDEN_LLM_PROVIDERS: 'claude,backup',
  ARDEN_LLM_CLAUDE_API: 'anthropic',
  ARDEN_LLM_CLAUDE_BASE_URL: claude.url,
  ARDEN_LLM_CLAUDE_API_KEY: 'sk-ant-test',
  ARDEN_LLM_CLAUDE_MODEL: 'sonnet=3/15,haiku',
  ARDEN_LLM_BACKUP_BASE_URL: backup.url,
  ARDEN_LLM_BACKUP_API_KEY: KEY,
  ARDEN_LLM_BACKUP_MODEL: 'mini',
}
const arden = await useArden({ serve: true, worker: true }, settings)
const owner = person(arden.url, await sessionToken(arden))
const read = async () => (await owner('GET', '/language-models')).body.data as LanguageModels
const host = (url: string) => new URL(url).host

test('an owner sees the providers of the workers with models and prices, and no key', async () => {
  await until('a worker reports', async () => (await read()).providers !== null)
  const { providers, test: latest } = await read()
  expect(latest).toBeNull()
  expect(providers).toEqual([
    {
      name: 'claude',
      api: 'anthropic',
      host: host(claude.url),
      models: [
        { name: 'sonnet', price: { input: 3, output: 15 } },
        { name: 'haiku', price: null },
      ],
    },
    {
      name: 'backup',
      api: 'openai',
      host: host(backup.url),
      models: [{ name: 'mini', price: null }],
    },
  ])
})

test('a test calls each provider once, and says what happened and what to do, without the key', async () => {
  const before = claude.requests.length
  const { status, body } = await owner('POST', '/language-models/test', {})
  expect(status).toBe(202)
  expect(body.data).toMatchObject({ finished_at: null, results: [] })
  // A second request joins the test that is under way.
  await owner('POST', '/language-models/test', {})
  const finished = async () => (await read()).test?.finished_at !== null
  await until('the worker has made it', finished)
  const { test: made } = await read()
  expect(made?.results).toEqual([
    {
      name: 'claude',
      status: 'ok',
      found: expect.stringContaining('responds with the model sonnet, in'),
      todo: null,
    },
    {
      name: 'backup',
      status: 'fail',
      found: 'The provider rejected the request (401).',
      todo: 'Correct ARDEN_LLM_BACKUP_API_KEY.',
    },
  ])
  expect(JSON.stringify(made)).not.toMatch(/0123456789|org-acme/)
  expect(claude.requests.length).toBe(before + 1)
})

test('members and viewers can neither see nor test them', async () => {
  for (const role of ['member', 'viewer'] as const) {
    const one = person(arden.url, await sessionToken(arden, role))
    expect((await one('GET', '/language-models')).status).toBe(403)
    expect((await one('POST', '/language-models/test', {})).status).toBe(403)
  }
})

test('an account has ten tests in 15 minutes, also of concurrent requests', async () => {
  await arden.sql`DELETE FROM provider_tests`
  await arden.sql`
    INSERT INTO provider_tests (account_id, requested_at, finished_at)
    SELECT ${arden.accountId}, now() - interval '14 minutes', now() FROM generate_series(1, 9)`
  await arden.sql`
    INSERT INTO provider_tests (account_id, requested_at, finished_at)
    VALUES ('acc_other', now(), now()), ('acc_other', now() - interval '16 minutes', now())`
  const responses = await Promise.all(
    Array.from({ length: 4 }, () => owner('POST', '/language-models/test', {})),
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429])
  const refused = responses.find(({ status }) => status === 429)
  expect(refused?.body.message).toMatch(/10 times within 15 minutes.* Try again in 1 minute\./)
})

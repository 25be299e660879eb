import { expect, test } from 'bun:test'
import { streamedMessage, useAnthropic } from '../support/content/anthropic'
import { refusal, streamed, useLlm } from '../support/content/llm'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'

/** The language models on the page of settings. */

const KEY = 'sk-proj-0123456789abcdef'
const claude = useAnthropic(() => streamedMessage(['OK']))
let backupResponds = () => refusal(401, `Incorrect API key provided: ${KEY}`)
const backup = useLlm(() => backupResponds())
const dashboard = await useDashboard(
  { serve: true, worker: true },
  {
    ARDEN_LLM_PROVIDERS: 'claude,backup',
    ARDEN_LLM_CLAUDE_API: 'anthropic',
    ARDEN_LLM_CLAUDE_BASE_URL: claude.url,
    ARDEN_LLM_CLAUDE_API_KEY: 'sk-ant-test',
    ARDEN_LLM_CLAUDE_MODEL: 'claude-sonnet-5-5=2/10,claude-opus-5-5=4/20',
    ARDEN_LLM_BACKUP_BASE_URL: backup.url,
    ARDEN_LLM_BACKUP_API_KEY: KEY,
    ARDEN_LLM_BACKUP_MODEL: 'gpt-5-mini',
  },
)

test('an owner tests the providers, corrects one and tests again', async () => {
  const page = await dashboard.open('/live/settings')
  const providers = page.getByRole('list', { name: 'Providers' })
  await providers.getByText('claude-sonnet-5-5', { exact: true }).waitFor()
  await providers.getByText('$2 / $10 for a million tokens, input / output').waitFor()
  const results = page.getByRole('list', { name: 'Providers' })
  const button = page.getByRole('button', { name: 'Test', exact: true })
  await button.click()
  await results.getByText('responds with the model claude-sonnet-5-5').waitFor()
  await results.getByText('Correct ARDEN_LLM_BACKUP_API_KEY.').waitFor()
  expect(await page.content()).not.toContain('0123456789')
  await results.scrollIntoViewIfNeeded()
  await look(page, 'settings-language-models')

  backupResponds = () => streamed(['OK'])
  await button.click()
  await results.getByText('responds with the model gpt-5-mini').waitFor()
  checkOffences(page)
})

test('members do not see them', async () => {
  const page = await dashboard.open('/live/settings', { role: 'member' })
  await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Language models' }).count()).toBe(0)
})

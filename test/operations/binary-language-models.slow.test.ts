import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { streamedMessage, useAnthropic } from '../support/content/anthropic'
import { streamed, useLlm } from '../support/content/llm'
import { createDatabase } from '../support/database'
import { testEnvironment } from '../support/environment'
import { builtArden } from '../support/operations/binary'
import { runArden } from '../support/process'

/** The binary has the libraries of language models inside. */

const claude = useAnthropic(() => streamedMessage(['OK']))
const backup = useLlm(() => streamed(['OK']))
const database = await createDatabase()
afterAll(() => database.drop())

test('arden doctor calls each provider', async () => {
  const env = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    ARDEN_LLM_PROVIDERS: 'claude,backup',
    ARDEN_LLM_CLAUDE_API: 'anthropic',
    ARDEN_LLM_CLAUDE_BASE_URL: claude.url,
    ARDEN_LLM_CLAUDE_API_KEY: 'sk-ant-test',
    ARDEN_LLM_CLAUDE_MODEL: 'sonnet',
    ARDEN_LLM_BACKUP_BASE_URL: backup.url,
    ARDEN_LLM_BACKUP_API_KEY: 'sk-test',
    ARDEN_LLM_BACKUP_MODEL: 'mini',
  }
  const { stdout } = await runArden(['doctor', '--json'], env, [await builtArden()])
  const checks: { name: string; found: string }[] = JSON.parse(stdout)
  const found = new Map(checks.map(check => [check.name, check.found]))
  expect(found.get('language model claude')).toContain('responds with the model sonnet')
  expect(found.get('language model backup')).toContain('responds with the model mini')
})

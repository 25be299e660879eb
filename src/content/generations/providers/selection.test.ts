import { describe, expect, test } from 'bun:test'
import { limiterDeps } from '../../../../test/support/content/limiter-deps'
import { readConfig } from '../../../config'
import type { ModelProvider } from './provider'
import { selectProviders } from './selection'

const LLM = {
  ARDEN_LLM_BASE_URL: 'https://llm.example.com/v1',
  ARDEN_LLM_API_KEY: 'sk-secret',
  ARDEN_LLM_MODEL: 'm',
}
const writers = (env: Record<string, string>) => {
  const { live, test } = selectProviders(readConfig(env), limiterDeps)
  return { live: live.name, test: test.name }
}
const OFFLINE = 'the offline provider'

describe('the provider of a mode', () => {
  test('is the offline provider without settings', () => {
    expect(writers({})).toEqual({ live: OFFLINE, test: OFFLINE })
  })

  test('is the configured language model in live mode, and the offline provider in test mode', () => {
    expect(writers(LLM)).toEqual({ live: 'llm.example.com', test: OFFLINE })
  })

  test('is the model in test mode only with ARDEN_LLM_IN_TEST_MODE=1', () => {
    expect(writers({ ...LLM, ARDEN_LLM_IN_TEST_MODE: '1' }).test).toBe('llm.example.com')
  })

  test('fails on request in test mode, never in live mode', async () => {
    const { live, test } = selectProviders(readConfig({}), limiterDeps)
    const project = { name: 'Blog', domain: null, language: 'en' }
    const instructions = 'fail: provider_refused'
    const task = {
      seed: 's',
      step: 'section' as const,
      heading: null,
      keyword: 'k',
      instructions,
      project,
    }
    const { signal } = new AbortController()
    const text = async ({ complete }: ModelProvider) =>
      (await complete({ prompt: '', task, signal })).text
    expect(await text(test).catch(error => error)).toMatchObject({
      code: 'provider_refused',
    })
    expect((await text(live)).length).toBeGreaterThan(0)
  })
})

import { expect, test } from 'bun:test'
import type { ModelProvider, Task } from './provider'
import { simulateFailures } from './simulated-failure'

const provider: ModelProvider = {
  name: 'a provider that writes',
  complete: async () => ({
    text: 'written',
    model: null,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
  }),
}

const write = async (instructions: string | null) => {
  const task: Task = {
    step: 'section',
    heading: null,
    seed: 'gen_1',
    keyword: 'cold brew',
    instructions,
    project: { name: 'Blog', domain: null, language: 'en' },
  }
  const { signal } = new AbortController()
  return (await simulateFailures(provider).complete({ prompt: '', task, signal })).text
}

test.each(['provider_refused', 'provider_unavailable', 'stopped'])(
  'instructions of "fail: %s" fail with that code, and are not retried',
  async code => {
    for (const text of [`fail: ${code}\n`, `Fail:${code}`])
      expect(await write(text).catch(error => error)).toMatchObject({
        code,
        options: { final: true },
      })
  },
)

test('a code that there is not fails as well, and the message names those that there are', async () => {
  expect(await write('fail: provider_refusd').catch(error => error)).toMatchObject({
    code: 'provider_rejected',
    message: expect.stringContaining('provider_unavailable, '),
  })
})

test.each([null, '', 'fail: with a joke', 'Say why most fail: provider_refused'])(
  'instructions of %p go to the provider',
  async instructions => {
    expect(await write(instructions)).toBe('written')
  },
)

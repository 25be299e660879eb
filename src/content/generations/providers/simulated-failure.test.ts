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
    expect(await write(`fail: ${code}\n`).catch(error => error)).toMatchObject({
      code,
      options: { final: true },
    })
  },
)

test.each([null, '', 'fail: nothing_known', 'Say why most fail: provider_refused'])(
  'instructions of %p go to the provider',
  async instructions => {
    expect(await write(instructions)).toBe('written')
  },
)

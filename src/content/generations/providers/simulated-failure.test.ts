import { expect, test } from 'bun:test'
import type { ArticleProvider, ArticleRequest } from './provider'
import { simulateFailures } from './simulated-failure'

const provider: ArticleProvider = {
  name: 'a provider that writes',
  async *write() {
    yield 'written'
  },
}

const write = async (instructions: string | null) => {
  const request: ArticleRequest = {
    seed: 'gen_1',
    keyword: 'cold brew',
    instructions,
    project: { name: 'Blog', domain: null, language: 'en' },
  }
  let text = ''
  const pieces = simulateFailures(provider).write(request, new AbortController().signal)
  for await (const piece of pieces) text += piece
  return text
}

test.each(['provider_refused', 'provider_unavailable', 'stopped'])(
  'instructions of "fail: %s" fail with that code, and are not retried',
  async code => {
    await expect(write(`fail: ${code}\n`)).rejects.toMatchObject({ code, options: { final: true } })
  },
)

test.each([null, '', 'fail: nothing_known', 'Say why most fail: provider_refused'])(
  'instructions of %p go to the provider',
  async instructions => {
    expect(await write(instructions)).toBe('written')
  },
)

import { expect } from 'bun:test'
import {
  type CompletionRequest,
  type ModelProvider,
  ProviderError,
} from '../../../src/content/generations/providers/provider'

/** A request for a text, with `members` in place of its own. */
const completionRequest = (members: Partial<CompletionRequest> = {}): CompletionRequest => ({
  system: 'You are brief.',
  prompt: 'Write about cold brew.',
  task: {
    seed: 'gen_1',
    step: 'section',
    heading: null,
    keyword: 'cold brew',
    instructions: null,
    project: { name: 'Blog', domain: null, language: 'en' },
  },
  signal: new AbortController().signal,
  ...members,
})

/** The completion, and the pieces of its text as they arrived. */
export const complete = async (
  provider: Pick<ModelProvider, 'complete'>,
  members: Partial<CompletionRequest> = {},
) => {
  const pieces: string[] = []
  const request = completionRequest({ onText: piece => void pieces.push(piece), ...members })
  const completion = await provider.complete(request)
  return { ...completion, pieces }
}

/** The failure of a provider, which never names a key. */
export const failureOf = async (completion: Promise<unknown>): Promise<ProviderError> => {
  const error = await completion.then(
    () => undefined,
    thrown => thrown,
  )
  if (!(error instanceof ProviderError)) throw new Error(`no ProviderError, but ${error}`)
  expect(error.message).not.toContain('sk-')
  return error
}

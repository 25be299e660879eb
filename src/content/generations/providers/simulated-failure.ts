import { GenerationErrorCode } from '../schema'
import { type ArticleProvider, ProviderError } from './provider'

const ASKED = /^fail: (\w+)$/

/**
 * For test mode: instructions of `fail: provider_refused`, or another code, make the generation fail with
 * it at once, so that clients can try what they do then. Everything else is the provider's to write.
 */
export const simulateFailures = (provider: ArticleProvider): ArticleProvider => ({
  name: provider.name,
  async *write(assignment, signal) {
    const code = codeAsked(assignment.instructions ?? '')
    if (code !== undefined)
      throw new ProviderError(
        code,
        'The instructions asked for this failure, as is possible in test mode. Leave "fail:" out of them to have an article written.',
        { final: true },
      )
    yield* provider.write(assignment, signal)
  },
})

const codeAsked = (instructions: string): GenerationErrorCode | undefined => {
  const name = ASKED.exec(instructions.trim())?.[1]
  return GenerationErrorCode.anyOf.map(one => one.const).find(code => code === name)
}

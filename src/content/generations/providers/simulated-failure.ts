import { GenerationErrorCode } from '../schema'
import { type ArticleProvider, ProviderError } from './provider'

const FAILURE_REQUEST = /^fail: (\w+)$/

/**
 * For test mode (contract 6.7): instructions of `fail: <code>` make the generation fail with that code, so that clients
 * can test their error handling. Other instructions go to the provider.
 */
export const simulateFailures = (provider: ArticleProvider): ArticleProvider => ({
  ...provider,
  async *write(request, signal, admission) {
    const code = requestedCode(request.instructions ?? '')
    if (code !== undefined)
      throw new ProviderError(
        code,
        'The instructions requested this failure, which test mode supports. Remove "fail:" from them to generate an article.',
        { final: true, isSimulated: true },
      )
    yield* provider.write(request, signal, admission)
  },
})

const requestedCode = (instructions: string): GenerationErrorCode | undefined => {
  const name = FAILURE_REQUEST.exec(instructions.trim())?.[1]
  return GenerationErrorCode.anyOf.map(one => one.const).find(code => code === name)
}

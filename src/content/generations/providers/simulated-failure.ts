import { GenerationErrorCode } from '../schema'
import { type ModelProvider, ProviderError } from './provider'

const FAILURE_REQUEST = /^fail: (\w+)$/

/**
 * For test mode (contract 6.7): instructions of `fail: <code>` make the generation fail with that code, so that clients
 * can test their error handling. Other instructions go to the provider.
 */
export const simulateFailures = (provider: ModelProvider): ModelProvider => ({
  ...provider,
  complete: async request => {
    const code = requestedCode(request.task.instructions ?? '')
    if (code !== undefined) {
      await request.onStart?.()
      throw new ProviderError(
        code,
        'The instructions requested this failure, which test mode supports. Remove "fail:" from them to generate an article.',
        { final: true, isSimulated: true },
      )
    }
    return await provider.complete(request)
  },
})

const requestedCode = (instructions: string): GenerationErrorCode | undefined => {
  const name = FAILURE_REQUEST.exec(instructions.trim())?.[1]
  return GenerationErrorCode.anyOf.map(one => one.const).find(code => code === name)
}

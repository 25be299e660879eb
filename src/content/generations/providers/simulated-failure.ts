import { GenerationErrorCode } from '../schema'
import { type ModelProvider, ProviderError } from './provider'

const FAILURE_REQUEST = /^fail:\s{0,10}(\w+)$/i

const CODES = GenerationErrorCode.anyOf.map(one => one.const)

/**
 * For test mode (contract 6.7): instructions of `fail: <code>` make the generation fail with that code, so that clients
 * can test their error handling; with an unknown code as `provider_rejected`. Other instructions go to the provider.
 */
export const simulateFailures = (provider: ModelProvider): ModelProvider => ({
  ...provider,
  complete: async request => {
    const name = FAILURE_REQUEST.exec(request.task.instructions?.trim() ?? '')?.[1]?.toLowerCase()
    if (name === undefined) return await provider.complete(request)
    const code = CODES.find(code => code === name)
    await request.onStart?.()
    throw new ProviderError(
      code ?? 'provider_rejected',
      code === undefined
        ? `The instructions request a failure, which test mode supports, with a code that there is not. The codes are: ${CODES.join(', ')}.`
        : 'The instructions requested this failure, which test mode supports. Remove "fail:" from them to generate an article.',
      { final: true, isSimulated: true },
    )
  },
})

import type { Admission, ProviderLimiter } from '../../provider-limits/limiter'
import { type CompletionRequest, type ModelProvider, ProviderError } from './provider'

/** What a language model gets of a request. */
export type ModelRequest = Omit<CompletionRequest, 'task'>

/** A provider whose requests a rate limit admits: it reports to `admission` what the response says of the limit. */
export type LimitedProvider = Omit<ModelProvider, 'complete'> & {
  complete: (request: ModelRequest, admission?: Admission) => ReturnType<ModelProvider['complete']>
}

/**
 * Sends the requests of `provider` at the rate of `limiter` (contract 6.7). A request that has to wait too long, and one
 * with a 429, fail with `provider_rate_limited` and the time until the next may be sent.
 */
export const limitRate = (provider: LimitedProvider, limiter: ProviderLimiter): ModelProvider => ({
  ...provider,
  complete: async request => {
    const admission = await limiter.admit(request.signal)
    if (admission === undefined)
      throw new ProviderError(
        'provider_rate_limited',
        'The rate limit of the provider is exceeded. Retry it later.',
        { isUnsent: true, retryAfterMs: limiter.returnMs() },
      )
    try {
      return await provider.complete(request, admission)
    } catch (error) {
      if (error instanceof ProviderError && error.code === 'provider_rate_limited')
        throw new ProviderError(error.code, error.message, {
          ...error.options,
          retryAfterMs: limiter.returnMs(),
        })
      throw error
    } finally {
      admission.end()
    }
  },
})

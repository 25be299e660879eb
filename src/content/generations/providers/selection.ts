import type { Mode } from '../../../caller'
import type { Config } from '../../../config'
import { createProviderLimiter, type LimiterDeps } from '../../provider-limits/limiter'
import { PROVIDER_IDLE_TIMEOUT_MS, PROVIDER_TIMEOUT_MS } from '../retry-schedule'
import { limitRate } from './limited'
import { offlineProvider } from './offline'
import { createOpenAiProvider } from './openai'
import type { ModelProvider } from './provider'
import { simulateFailures } from './simulated-failure'

/** The provider of each mode, as `ARDEN_LLM_*` configure it (contract 6.8). Both modes share one rate limit. */
export const selectProviders = (
  { llm }: Pick<Config, 'llm'>,
  deps: LimiterDeps,
): { [mode in Mode]: ModelProvider } => {
  if (llm === undefined) return { live: offlineProvider, test: simulateFailures(offlineProvider) }
  const model = createOpenAiProvider(llm, {
    responseMs: PROVIDER_TIMEOUT_MS,
    silenceMs: PROVIDER_IDLE_TIMEOUT_MS,
  })
  const limiter = createProviderLimiter(
    {
      provider: 'language_model',
      host: model.name,
      effect: 'Generations wait; none fails for this.',
      costs: { requests: 1, tokens: llm.maxTokens },
    },
    deps,
  )
  const provider = limitRate(model, limiter)
  return { live: provider, test: simulateFailures(llm.inTestMode ? provider : offlineProvider) }
}

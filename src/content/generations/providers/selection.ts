import type { Mode } from '../../../caller'
import type { Config } from '../../../config'
import type { ModelProviderConfig } from '../../../config/llm'
import { createProviderLimiter, type LimiterDeps } from '../../provider-limits/limiter'
import { PROVIDER_IDLE_TIMEOUT_MS, PROVIDER_TIMEOUT_MS } from '../retry-schedule'
import { fallBack, type NamedProvider } from './fallback'
import { type LimitedProvider, limitRate } from './limited'
import { offlineProvider } from './offline'
import type { ModelProvider } from './provider'
import { simulateFailures } from './simulated-failure'
import type { AdapterSettings } from './stream'
import type { ProviderTimeouts } from './timeouts'

/**
 * The provider of each mode, as `ARDEN_LLM_*` configure it (contract 6.8). Both modes share the rate limit of each
 * language model.
 */
export const selectProviders = (
  { llm }: Pick<Config, 'llm'>,
  deps: LimiterDeps,
): { [mode in Mode]: ModelProvider } => {
  if (llm === undefined) return { live: offlineProvider, test: simulateFailures(offlineProvider) }
  const [first, ...others] = llm.providers
  const create = (config: ModelProviderConfig) => createNamedProvider(config, deps)
  const provider = fallBack([create(first), ...others.map(create)], deps)
  return { live: provider, test: simulateFailures(llm.inTestMode ? provider : offlineProvider) }
}

const TIMEOUTS = { responseMs: PROVIDER_TIMEOUT_MS, silenceMs: PROVIDER_IDLE_TIMEOUT_MS }

const createNamedProvider = (config: ModelProviderConfig, deps: LimiterDeps): NamedProvider => {
  const provider = createAdapter(config, TIMEOUTS)
  const { maxTokens, inFlight, models } = config
  const limiter = createProviderLimiter(
    {
      provider: 'language_model',
      host: provider.name,
      effect: 'Generations wait; none fails for this.',
      costs: { requests: 1, tokens: maxTokens },
      inFlight,
    },
    deps,
  )
  return { ...limitRate(provider, limiter), models }
}

/**
 * The client of one API. Requests of its own, such as a test, are not limited. Its library is loaded by the first
 * request: each takes 15 MB, and most workers have one.
 */
export const createAdapter = (
  { name, api, baseUrl, apiKey, models, maxTokens }: ModelProviderConfig,
  timeouts: ProviderTimeouts,
): LimitedProvider => {
  const { host } = new URL(baseUrl)
  const settings = {
    name: name === 'default' ? host : `${name} (${host})`,
    baseUrl,
    apiKey,
    model: models[0].name,
    maxTokens,
  }
  let adapter: Promise<LimitedProvider> | undefined
  return {
    name: settings.name,
    complete: async (request, admission) => {
      adapter ??= LOAD[api](settings, timeouts)
      return (await adapter).complete(request, admission)
    },
  }
}

const LOAD = {
  anthropic: async (...of: [AdapterSettings, ProviderTimeouts]) =>
    (await import('./anthropic')).createAnthropicProvider(...of),
  openai: async (...of: [AdapterSettings, ProviderTimeouts]) =>
    (await import('./openai')).createOpenAiProvider(...of),
}

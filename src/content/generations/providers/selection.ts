import type { Mode } from '../../../caller'
import type { Config } from '../../../config'
import { PROVIDER_IDLE_TIMEOUT_MS, PROVIDER_TIMEOUT_MS } from '../retry-schedule'
import { offlineProvider } from './offline'
import { createOpenAiProvider } from './openai'
import type { ArticleProvider } from './provider'
import { simulateFailures } from './simulated-failure'

/** The provider of each mode, as `ARDEN_LLM_*` configure it (contract 6.8). */
export const selectProviders = ({
  llm,
}: Pick<Config, 'llm'>): { [mode in Mode]: ArticleProvider } => {
  if (llm === undefined) return { live: offlineProvider, test: simulateFailures(offlineProvider) }
  const provider = createOpenAiProvider(llm, {
    responseMs: PROVIDER_TIMEOUT_MS,
    silenceMs: PROVIDER_IDLE_TIMEOUT_MS,
  })
  return { live: provider, test: simulateFailures(llm.inTestMode ? provider : offlineProvider) }
}

import type { Mode } from '../../../caller'
import type { Config } from '../../../config'
import { ANSWER_TIMEOUT_MS, SILENCE_TIMEOUT_MS } from '../retry-schedule'
import { failOnRequest } from './fail-on-request'
import { offlineProvider } from './offline'
import { createOpenAiProvider } from './openai'
import type { Provider } from './provider'

/** Who writes for each mode, by the settings `ARDEN_LLM_*` (contract 6). */
export const chooseProviders = ({ llm }: Pick<Config, 'llm'>): { [mode in Mode]: Provider } => {
  if (llm === undefined) return { live: offlineProvider, test: failOnRequest(offlineProvider) }
  const provider = createOpenAiProvider(llm, {
    answerMs: ANSWER_TIMEOUT_MS,
    silenceMs: SILENCE_TIMEOUT_MS,
  })
  return { live: provider, test: failOnRequest(llm.inTestMode ? provider : offlineProvider) }
}

import type { SettingReader } from './reader'

/** Set all of these, or none to use the offline provider. */
const CONNECTION = ['ARDEN_LLM_BASE_URL', 'ARDEN_LLM_API_KEY', 'ARDEN_LLM_MODEL'] as const

type Names = (typeof CONNECTION)[number] | 'ARDEN_LLM_MAX_TOKENS' | 'ARDEN_LLM_IN_TEST_MODE'

type LlmConfig = {
  baseUrl: string
  apiKey: string
  model: string
  /** Maximum tokens of a response. */
  maxTokens: number
  inTestMode: boolean
}

/** Undefined if the offline provider writes everything. */
export const readLlm = ({
  text,
  url,
  integer,
  flag,
  settingError,
}: SettingReader<Names>): LlmConfig | undefined => {
  const inTestMode = flag('ARDEN_LLM_IN_TEST_MODE')
  const maxTokens = integer('ARDEN_LLM_MAX_TOKENS', 4000, 100, 100_000)
  const baseUrl = url('ARDEN_LLM_BASE_URL')
  const [apiKey, model] = [text('ARDEN_LLM_API_KEY'), text('ARDEN_LLM_MODEL')]
  if (baseUrl !== undefined && apiKey !== undefined && model !== undefined)
    return { baseUrl, apiKey, model, maxTokens, inTestMode }
  const missing = CONNECTION.filter(name => text(name) === undefined)
  if (missing.length === CONNECTION.length && !inTestMode) return undefined
  const [first = 'ARDEN_LLM_BASE_URL'] = missing
  throw settingError(first, 'is not set, but other settings of the language model are', [
    ...CONNECTION,
    'ARDEN_LLM_IN_TEST_MODE',
  ])
}

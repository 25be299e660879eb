import { createSettingReader, type Env, SettingError, type SettingReader } from './reader'

/** Settings of each provider: after ARDEN_LLM_ where there is one, after ARDEN_LLM_<NAME>_ where they have names. */
const providerSettings = {
  API: 'openai, for OpenAI and what is compatible with it (Ollama, vLLM, OpenRouter), or anthropic. Default openai.',
  BASE_URL:
    'URL of the API, such as https://api.openai.com/v1 or http://ollama:11434/v1. Default with anthropic: https://api.anthropic.com.',
  API_KEY: 'API key; any text if the API needs none.',
  MODEL:
    'Name of the model, or several, comma-separated: the first is the default. With =<input>/<output>, US dollars for a million tokens, records show costs: claude-sonnet-5-5=2/10.',
  MAX_TOKENS: 'Maximum tokens of a response, which limits costs, 100..100000. Default 4000.',
  IN_FLIGHT:
    'Concurrent requests of a worker, 1..1000. Default: as many as ARDEN_GENERATIONS_IN_FLIGHT leads to.',
} as const

type Suffix = keyof typeof providerSettings
const SUFFIXES = Object.keys(providerSettings) as Suffix[]

const PREFIX = 'ARDEN_LLM_'

/** The language models. Without any of these settings, the built-in offline provider writes everything. */
export const llmSettings = {
  ARDEN_LLM_PROVIDERS:
    'Names of language model providers, comma-separated, such as claude,backup: the first is the default, the others are used in this order when it fails. Each has the settings below with its name: ARDEN_LLM_CLAUDE_API_KEY. Without it ARDEN_LLM_API_KEY and so on are those of the only provider; without these, the built-in offline provider writes articles.',
  ...(Object.fromEntries(
    SUFFIXES.map(suffix => [`${PREFIX}${suffix}`, providerSettings[suffix]]),
  ) as { [suffix in Suffix as `${typeof PREFIX}${suffix}`]: string }),
  ARDEN_LLM_IN_TEST_MODE: '1 uses the models in test mode too. Default 0: the offline provider.',
} as const

/** A language model. `price`, in US dollars for a million tokens, is null where none is set. */
export type ModelConfig = { name: string; price: { input: number; output: number } | null }

/** One API with its key. */
export type ModelProviderConfig = {
  /** The name in ARDEN_LLM_PROVIDERS; `default` without it. */
  name: string
  /** The name of its setting, for messages. */
  setting: (suffix: Suffix) => string
  api: 'openai' | 'anthropic'
  baseUrl: string
  apiKey: string
  /** The first is the default. */
  models: [ModelConfig, ...ModelConfig[]]
  /** Maximum tokens of a response. */
  maxTokens: number
  /** Maximum concurrent requests of a process. */
  inFlight: number | undefined
}

type LlmConfig = {
  /** In the order in which they are used. */
  providers: [ModelProviderConfig, ...ModelProviderConfig[]]
  inTestMode: boolean
}

const ANTHROPIC_URL = 'https://api.anthropic.com'

/** Undefined if the offline provider writes everything. */
export const readLlm = ({
  env,
  flag,
  text,
  settingError,
}: SettingReader<keyof typeof llmSettings>): LlmConfig | undefined => {
  const inTestMode = flag('ARDEN_LLM_IN_TEST_MODE')
  const given = text('ARDEN_LLM_PROVIDERS')
  const names = splitNames(given)
  const bad = names.find(name => !/^[a-z][a-z0-9-]{0,30}$/.test(name))
  if (bad !== undefined)
    throw settingError(
      'ARDEN_LLM_PROVIDERS',
      `has "${bad}", which is not a name of small letters, digits and hyphens`,
    )
  if (new Set(names).size < names.length)
    throw settingError('ARDEN_LLM_PROVIDERS', 'has a name twice')
  const known = settingsOfNames(names)
  const unnamed = settingsOfProviders(env).find(setting => !known.includes(setting))
  if (unnamed !== undefined)
    throw new SettingError(
      `${unnamed} is set, but ARDEN_LLM_PROVIDERS does not name its provider. Expected: ${llmSettings.ARDEN_LLM_PROVIDERS}`,
      [unnamed],
    )
  if (given !== undefined) {
    const [first, ...others] = names.map(name => readProvider(env, name, prefixOf(name)))
    return first && { providers: [first, ...others], inTestMode }
  }
  if (settingsOfProviders(env).length === 0 && !inTestMode) return undefined
  return { providers: [readProvider(env, 'default', PREFIX)], inTestMode }
}

/** The settings that providers can have with this ARDEN_LLM_PROVIDERS: those with their names, or without any. */
export const providerSettingsOf = (given: string | undefined): string[] =>
  settingsOfNames(splitNames(given))

const splitNames = (given: string | undefined): string[] =>
  given === undefined || given === '' ? [] : given.split(',').map(name => name.trim())

const settingsOfNames = (names: string[]): string[] =>
  (names.length === 0 ? [PREFIX] : names.map(prefixOf)).flatMap(prefix =>
    SUFFIXES.map(suffix => `${prefix}${suffix}`),
  )

const prefixOf = (name: string) => `${PREFIX}${name.toUpperCase().replaceAll('-', '_')}_`

/** Those that are set, of providers that are named and of others. */
const settingsOfProviders = (env: Env): string[] =>
  Object.keys(env).filter(
    setting =>
      setting.startsWith(PREFIX) &&
      SUFFIXES.some(suffix => setting.endsWith(`_${suffix}`)) &&
      env[setting] !== undefined,
  )

const readProvider = (env: Env, name: string, prefix: string): ModelProviderConfig => {
  const setting = (suffix: Suffix) => `${prefix}${suffix}`
  const takes = Object.fromEntries(
    SUFFIXES.map(suffix => [setting(suffix), providerSettings[suffix]]),
  )
  const { text, url, integer, oneOf, settingError } = createSettingReader<string>(env, takes)
  const require = <T>(value: T | undefined, suffix: Suffix): T => {
    if (value !== undefined) return value
    throw settingError(
      setting(suffix),
      'is not set, but other settings of the language model are',
      Object.keys(env).filter(one => one.startsWith(PREFIX)),
    )
  }
  const api = oneOf(setting('API'), ['openai', 'anthropic'])
  const given = url(setting('BASE_URL'))
  const baseUrl = given ?? (api === 'anthropic' ? ANTHROPIC_URL : undefined)
  return {
    name,
    setting,
    api,
    baseUrl: require(baseUrl, 'BASE_URL'),
    apiKey: require(text(setting('API_KEY')), 'API_KEY'),
    models: readModels(require(text(setting('MODEL')), 'MODEL'), what =>
      settingError(setting('MODEL'), what),
    ),
    maxTokens: integer(setting('MAX_TOKENS'), 4000, 100, 100_000),
    inFlight:
      text(setting('IN_FLIGHT')) === undefined
        ? undefined
        : integer(setting('IN_FLIGHT'), 1, 1, 1000),
  }
}

/** `gpt-5=1.25/10,llama3.2:3b`. */
const readModels = (
  text: string,
  error: (what: string) => Error,
): [ModelConfig, ...ModelConfig[]] => {
  const models = text.split(',').map(item => {
    const [, name = '', input, output] =
      /^(.*?)(?:=(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?))?$/s.exec(item.trim()) ?? []
    if (name === '') throw error('has a model without a name')
    if (/^\d+(\/.*)?$/.test(name)) throw error('has a decimal comma in a price: write a point')
    if (input === undefined && /=[\s$€-]*(\d+\.\d+|[\d.]+\s*[:/][\s$€\d.-]*)$/.test(name))
      throw error(
        `has "${name}", whose price is not <input>/<output> in numbers with decimal points`,
      )
    const price =
      input === undefined || output === undefined
        ? null
        : { input: Number(input), output: Number(output) }
    return { name, price }
  })
  if (new Set(models.map(({ name }) => name)).size < models.length) throw error('has a model twice')
  const [first, ...others] = models
  if (first === undefined) throw error('has no model')
  return [first, ...others]
}

import type { ModelProviderConfig } from '../../../config/llm'
import { TRUST_AUTHORITY } from '../../../private-authority'
import type { FailureKind } from './failures'
import { ProviderError } from './provider'
import { createAdapter } from './selection'

/** The result of one small call, without the key. `providerText` is for the operator: it can contain their account. */
export type ProviderTest = {
  /** The name in the settings. */
  name: string
  status: 'ok' | 'warn' | 'fail'
  found: string
  todo: string | null
  providerText: string | null
}

/** Enough for each API, and too few to cost anything. */
const MAX_TOKENS = 16

/** Calls the default model of a provider once, outside its rate limit. */
export const testProvider = async (
  config: ModelProviderConfig,
  timeoutMs: number,
): Promise<ProviderTest> => {
  const adapter = createAdapter(config, { responseMs: timeoutMs, silenceMs: timeoutMs })
  const { name } = config
  const [{ name: model }] = config.models
  const startedAt = performance.now()
  try {
    await adapter.complete({
      prompt: 'Answer with the word OK.',
      maxTokens: MAX_TOKENS,
      signal: AbortSignal.timeout(2 * timeoutMs),
    })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const { kind = 'bad_request', providerText = null } = error.options
    if (!RESPONDED.includes(kind))
      return { name, ...describeFailure(kind, error, config), providerText }
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const found = `${adapter.name} responds with the model ${model}, in ${seconds} s.`
  return { name, status: 'ok', found, todo: null, providerText: null }
}

/** A model that thinks first has used the tokens up before it wrote a word. */
const RESPONDED: readonly FailureKind[] = ['too_long', 'empty', 'refused']

const describeFailure = (
  kind: FailureKind,
  { message, options }: ProviderError,
  { setting, models: [{ name: model }] }: ModelProviderConfig,
): Pick<ProviderTest, 'status' | 'found' | 'todo'> => {
  const { found = message } = options
  const fail = (todo: string) => ({ status: 'fail' as const, found, todo })
  const warn = (todo: string) => ({ status: 'warn' as const, found, todo })
  switch (kind) {
    case 'wrong_key':
      return fail(`Correct ${setting('API_KEY')}.`)
    case 'no_credit':
      return fail(`Add credit to the account of ${setting('API_KEY')}, or raise its limit.`)
    case 'unknown_model':
      return fail(
        `Correct ${setting('MODEL')}, where ${model} is the default, or ${setting('BASE_URL')}.`,
      )
    case 'bad_request':
      return fail(
        `Check ${setting('MODEL')} and ${setting('BASE_URL')}. arden doctor shows the response.`,
      )
    case 'unreachable':
      return fail(`Check ${setting('BASE_URL')} and the outgoing network.`)
    case 'untrusted':
      return fail(TRUST_AUTHORITY)
    case 'silent':
    case 'too_slow':
      return warn('Test again: a server that loads the model first takes longer the first time.')
    case 'rate_limited':
      return warn('Test again later. Generations wait, or use the next provider.')
    case 'server_error':
    case 'overloaded':
      return warn('Test again later. If it stays so, see the status page of the provider.')
    default:
      return fail(`Check that ${setting('BASE_URL')} is the URL of an API of this kind.`)
  }
}

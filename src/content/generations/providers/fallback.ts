import type { ModelConfig } from '../../../config/llm'
import type { Log } from '../../../log'
import type { Meter } from '../../../metrics/meter'
import { callsNext, mostHopeful, providerError } from './failures'
import {
  type Completion,
  type CompletionRequest,
  type ModelProvider,
  ProviderError,
} from './provider'

/** A provider of ARDEN_LLM_PROVIDERS with its models, of which the first is the default. */
export type NamedProvider = ModelProvider & { models: readonly [ModelConfig, ...ModelConfig[]] }

/** After a failure a provider is called only when the others fail as well, for this long, in ms. */
const REST_MS = 60_000

type Deps = { log: Log; meter: Meter }

/**
 * Calls the first of `providers` that has the requested model, and after a failure the next one, as failures.ts says
 * (contract 6.7). A request without a model gets the default model of each.
 */
export const fallBack = (
  providers: readonly [NamedProvider, ...NamedProvider[]],
  { log, meter }: Deps,
): ModelProvider => {
  const restingUntil = new Map<NamedProvider, number>()
  const isResting = (one: NamedProvider) => (restingUntil.get(one) ?? 0) > performance.now()
  const rest = (one: NamedProvider, { options }: ProviderError) => {
    if (!options.isUnsent)
      restingUntil.set(one, performance.now() + (options.retryAfterMs ?? REST_MS))
  }
  /** Adds each failure to `failures`. */
  const callInTurn = async (
    request: CompletionRequest,
    failures: ProviderError[],
  ): Promise<Completion> => {
    const named = providers.filter(({ models }) => hasModel(models, request.model))
    const inOrder = [
      ...named.filter(one => !isResting(one)),
      ...named.filter(one => isResting(one)),
    ]
    for (const [index, provider] of inOrder.entries()) {
      let hasBegun = false
      const model = request.model ?? provider.models[0].name
      try {
        const completion = await provider.complete({
          ...request,
          model,
          onText: piece => {
            hasBegun = true
            request.onText?.(piece)
          },
        })
        restingUntil.delete(provider)
        return { ...completion, costUsd: costOf(completion, provider.models, model) }
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error
        const next = hasBegun || !callsNext(error) ? undefined : inOrder[index + 1]
        if (providers.length > 1) logFailure(log, provider.name, error, next?.name)
        failures.push(error)
        if (!callsNext(error)) throw error
        rest(provider, error)
        if (next === undefined) break
      }
    }
    throw (
      mostHopeful(failures) ??
      providerError('unknown_model', `No provider has the model ${request.model}.`)
    )
  }
  return {
    name: providers.map(({ name }) => name).join(', '),
    complete: async request => {
      const failures: ProviderError[] = []
      let thrown: unknown
      try {
        return await callInTurn(request, failures)
      } catch (error) {
        thrown = error
        throw error
      } finally {
        // The one that is thrown is counted by the step, if it does not wait.
        for (const one of failures)
          if (one !== thrown && one.code !== 'provider_rate_limited' && !one.options.isUnsent)
            meter.recordModelError(one.code)
      }
    },
  }
}

const logFailure = (
  log: Log,
  provider: string,
  { code, message, options }: ProviderError,
  next: string | undefined,
): void =>
  log.warn(
    { provider, code, provider_text: options.providerText },
    `${provider} failed${next === undefined ? '' : `, and ${next} is called instead`}: ${message}`,
  )

const hasModel = (models: readonly ModelConfig[], model: string | undefined) =>
  model === undefined || models.some(({ name }) => name === model)

/** Null without a price, or where the provider reports no tokens. */
const costOf = (
  { inputTokens, outputTokens }: Completion,
  models: readonly ModelConfig[],
  model: string,
): number | null => {
  const price = models.find(({ name }) => name === model)?.price ?? null
  if (price === null || inputTokens === null || outputTokens === null) return null
  return (inputTokens * price.input + outputTokens * price.output) / 1_000_000
}

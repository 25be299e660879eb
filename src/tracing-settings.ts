import { StartError } from './errors'

/** What decides, besides the exporter's own variables, which spans are made and sent. */
export type Tracing = {
  /** Of the spans without a parent, the share that is kept, 0 to 1. */
  share: number
  /** Whether a caller's `traceparent` decides for its requests. */
  parentDecides: boolean
  /** Milliseconds between two sendings. */
  everyMs: number
}

/**
 * OpenTelemetry by its standard variables: undefined, and nothing of it is loaded, until one names an
 * endpoint. The exporter reads the other `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` itself.
 * @throws {StartError} naming the variable whose value Arden does not support.
 */
export const readTracing = (env: Record<string, string | undefined>): Tracing | undefined => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = env
  if ((OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? OTEL_EXPORTER_OTLP_ENDPOINT) === undefined)
    return undefined
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  if (choose(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none') return undefined
  choose(env, 'OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf'])
  choose(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', ['http/protobuf'])
  const sampler = choose(env, 'OTEL_TRACES_SAMPLER', [
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
    'always_on',
    'always_off',
    'traceidratio',
  ])
  const share = sampler.endsWith('traceidratio')
    ? number(env, 'OTEL_TRACES_SAMPLER_ARG', 1, 1)
    : Number(sampler.endsWith('on'))
  return {
    share,
    parentDecides: sampler.startsWith('parentbased'),
    everyMs: number(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, 600_000),
  }
}

const choose = (env: Record<string, string | undefined>, name: string, allowed: string[]) => {
  const [first = ''] = allowed
  const value = env[name] ?? first
  if (!allowed.includes(value))
    throw new StartError(
      `${name} is "${value}", which Arden does not support. It takes ${allowed.join(', ')}. Default ${first}.`,
    )
  return value
}

const number = (
  env: Record<string, string | undefined>,
  name: string,
  fallback: number,
  max: number,
) => {
  const value = Number(env[name] ?? fallback)
  if (!(value >= 0 && value <= max))
    throw new StartError(`${name} is "${env[name]}", which is not a number from 0 to ${max}.`)
  return value
}

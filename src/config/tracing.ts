import { createSettingReader, type Env, SettingError } from './reader'

/** What decides, besides the exporter's own variables, which spans are made and sent. */
export type TracingConfig = {
  /** Of the spans without a parent, the share that is kept, 0 to 1. */
  sampleRatio: number
  /** Whether a caller's `traceparent` decides for its requests. */
  isParentBased: boolean
  /** Milliseconds between two sendings. */
  exportIntervalMs: number
}

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

/** OpenTelemetry's standard variables, as far as Arden itself looks at them. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://collector:4318. Not set: no traces.',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'The whole URL that traces are sent to, where it is another.',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf.',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf.',
  OTEL_TRACES_EXPORTER: 'otlp or none. Default otlp.',
  OTEL_TRACES_SAMPLER: `${SAMPLERS.join(', ')}. Default ${SAMPLERS[0]}.`,
  OTEL_TRACES_SAMPLER_ARG:
    'The share of traces that a traceidratio sampler keeps, 0 to 1. Default 1.',
  OTEL_BSP_SCHEDULE_DELAY: 'Milliseconds between two sendings, 0 to 600000. Default 5000.',
  OTEL_SDK_DISABLED: 'true switches traces off.',
} as const

/**
 * OpenTelemetry by its standard variables: undefined, and nothing of it is loaded, until one names an
 * endpoint. The exporter reads the other `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` itself.
 * @throws {SettingError} naming the variable whose value Arden does not support.
 */
export const readTracing = (env: Env): TracingConfig | undefined => {
  const { url, text, oneOf } = createSettingReader(env, tracingSettings)
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  // The exporter would send to its default instead of a URL that is none, without a word.
  const endpoints = [url('OTEL_EXPORTER_OTLP_ENDPOINT'), url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')]
  if (endpoints.every(endpoint => endpoint === undefined)) return undefined
  if (oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none']) === 'none') return undefined
  oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf'])
  oneOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', ['http/protobuf'])
  const sampler = oneOf('OTEL_TRACES_SAMPLER', SAMPLERS)
  return {
    sampleRatio: sampler.endsWith('traceidratio')
      ? number(env, 'OTEL_TRACES_SAMPLER_ARG', 1, 1)
      : Number(sampler.endsWith('on')),
    isParentBased: sampler.startsWith('parentbased'),
    exportIntervalMs: number(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, 600_000),
  }
}

const number = (env: Env, name: keyof typeof tracingSettings, fallback: number, max: number) => {
  const value = Number(env[name] ?? fallback)
  if (!(value >= 0 && value <= max))
    throw new SettingError(
      `${name} is "${env[name]}", which is not a number from 0 to ${max}. It takes: ${tracingSettings[name]}`,
      [name],
    )
  return value
}

import { createSettingReader, type Env, SettingError } from './reader'

/** Arden's part of the tracing configuration; the exporter reads the rest from the environment. */
export type TracingConfig = {
  /** Fraction of root spans to record, 0 to 1. */
  sampleRatio: number
  /** Whether the `traceparent` of a request decides if it is recorded. */
  isParentBased: boolean
  /** Interval between exports, in ms. */
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

/** OpenTelemetry's standard variables that Arden itself reads. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT:
    'URL of an OpenTelemetry collector that accepts OTLP over HTTP, such as http://collector:4318. Without it there are no traces.',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'Full URL for traces, if it differs.',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf.',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf.',
  OTEL_TRACES_EXPORTER: 'otlp or none. Default otlp.',
  OTEL_TRACES_SAMPLER: `${SAMPLERS.join(', ')}. Default ${SAMPLERS[0]}.`,
  OTEL_TRACES_SAMPLER_ARG:
    'Fraction of traces that a traceidratio sampler records, 0 to 1. Default 1.',
  OTEL_BSP_SCHEDULE_DELAY: 'Interval between exports in milliseconds, 0 to 600000. Default 5000.',
  OTEL_SDK_DISABLED: 'true disables traces.',
} as const

/**
 * Reads OpenTelemetry's standard variables. Returns undefined, so that OpenTelemetry is not loaded, unless an
 * endpoint is set. The exporter reads the other `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` itself.
 * @throws {SettingError} naming the variable whose value Arden does not support.
 */
export const readTracing = (env: Env): TracingConfig | undefined => {
  const { url, text, oneOf } = createSettingReader(env, tracingSettings)
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  // The exporter silently uses its default for an invalid URL.
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
      `${name} is "${env[name]}", which is not a number from 0 to ${max}. Expected: ${tracingSettings[name]}`,
      [name],
    )
  return value
}

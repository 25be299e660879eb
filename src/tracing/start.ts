import { setTimeout as sleep } from 'node:timers/promises'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import pkg from '../../package.json'
import { createAvailability } from '../availability'
import type { TracingConfig } from '../config/tracing'
import type { Log } from '../log'
import { enableSpans } from './span'

/** Time to send the last spans at shutdown, in ms. */
const FLUSH_MS = 3_000

/**
 * Sends the spans of this process to the collector that OpenTelemetry's variables name. Returns a function
 * that sends the last ones and stops, within `FLUSH_MS`.
 */
export const startTracing = (
  { sampleRatio, isParentBased, exportIntervalMs }: TracingConfig,
  log: Log,
): (() => Promise<unknown>) => {
  const root = new TraceIdRatioBasedSampler(sampleRatio)
  const exporter = withErrorLog(new OTLPTraceExporter(), log)
  const provider = new TracerProvider({
    sampler: isParentBased ? new ParentBasedSampler({ root }) : root,
    // The operator's variables override these attributes.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'arden', 'service.version': pkg.version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportIntervalMs })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  enableSpans()
  // Rejects while the collector is unavailable, which has been logged.
  const end = () => provider.shutdown().catch(() => {})
  return () => Promise.race([end(), sleep(FLUSH_MS)])
}

/** Logs once that the collector is unavailable. It must not block anything. */
const withErrorLog = (exporter: OTLPTraceExporter, log: Log): SpanExporter => {
  const collector = createAvailability(
    log,
    'The OpenTelemetry collector',
    'Spans are dropped until it is available. Check OTEL_EXPORTER_OTLP_ENDPOINT.',
  )
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        if (result.error === undefined) collector.reportSuccess()
        else collector.reportFailure(result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}

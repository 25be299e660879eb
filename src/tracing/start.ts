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

/** For the last spans to be sent at a stop, in ms. */
const FLUSH_MS = 3_000

/**
 * Sends spans to the collector that OpenTelemetry's variables name, from now on and from the whole process.
 * The answer ends that, when the last ones are sent or `FLUSH_MS` over.
 */
export const startTracing = (
  { sampleRatio, isParentBased, exportIntervalMs }: TracingConfig,
  log: Log,
): (() => Promise<unknown>) => {
  const root = new TraceIdRatioBasedSampler(sampleRatio)
  const exporter = withErrorLog(new OTLPTraceExporter(), log)
  const provider = new TracerProvider({
    sampler: isParentBased ? new ParentBasedSampler({ root }) : root,
    // What the operator's variables say goes before ours.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'arden', 'service.version': pkg.version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportIntervalMs })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  enableSpans()
  // It rejects where the collector is away, which has been told.
  const end = () => provider.shutdown().catch(() => {})
  return () => Promise.race([end(), sleep(FLUSH_MS)])
}

/** A collector that is away is told once; it must hold up nothing. */
const withErrorLog = (exporter: OTLPTraceExporter, log: Log): SpanExporter => {
  const collector = createAvailability(
    log,
    'The OpenTelemetry collector',
    'Spans are dropped until it is back. Check OTEL_EXPORTER_OTLP_ENDPOINT.',
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

/**
 * Spans, by OpenTelemetry's interface alone: it does nothing until `tracing/start.ts` has given it something
 * to do. Attributes are ids, names and numbers; no URL, body or message, for those may be secret.
 */
import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

const tracer = trace.getTracer('arden')
/** Takes everything and does nothing. */
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
let isTracing = false

/** Called when OpenTelemetry has been given something to do: from now on spans are made. */
export const enableSpans = (): void => {
  isTracing = true
}

type SpanOptions = {
  kind: keyof typeof SpanKind
  attributes?: Attributes
  /** The headers of a request from elsewhere, which may name the span it is part of. */
  from?: Headers
}

/**
 * Runs `work` in a span that ends with it, and is an error when that throws. Without tracing there is none: one
 * that does nothing still takes 8 us, as much as a tenth of a delivery.
 */
export const inSpan = <T>(
  name: string,
  { kind, attributes = {}, from }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> => {
  if (!isTracing) return work(NO_SPAN)
  return tracer.startActiveSpan(
    name,
    { kind: SpanKind[kind], attributes },
    from ? propagation.extract(context.active(), from, HEADERS) : context.active(),
    async span => {
      try {
        return await work(span)
      } catch (error) {
        setSpanError(span, error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    },
  )
}

/** `type` is a class of errors, never a message. */
export const setSpanError = (span: Span, type: string): void => {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', type)
}

/** Notes what happened in the span that is open here, if one is. */
export const addSpanEvent = (what: string, attributes: Attributes): void => {
  trace.getActiveSpan()?.addEvent(what, attributes)
}

/** Runs what belongs to several spans at once, and so within none. */
export const runOutsideSpans = <T>(work: () => T): T => context.with(ROOT_CONTEXT, work)

const HEADERS = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}

/**
 * Spans, by OpenTelemetry's interface alone: it does nothing until `tracing/start.ts` has given it something
 * to do. Attributes are ids, names and numbers; no URL, body or message, for those may be secret.
 */
import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

const tracer = trace.getTracer('arden')

type SpanOptions = {
  kind: keyof typeof SpanKind
  attributes?: Attributes
  /** The headers of a request from elsewhere, which may name the span it is part of. */
  from?: Headers
}

/** Runs `work` in a span that ends with it, and is an error when that throws. */
export const inSpan = <T>(
  name: string,
  { kind, attributes = {}, from }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> =>
  tracer.startActiveSpan(
    name,
    { kind: SpanKind[kind], attributes },
    from ? propagation.extract(context.active(), from, HEADERS) : context.active(),
    async span => {
      try {
        return await work(span)
      } catch (error) {
        markFailed(span, error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    },
  )

/** `type` is a class of errors, never a message. */
export const markFailed = (span: Span, type: string): void => {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', type)
}

/** Notes what happened in the span that is open here, if one is. */
export const note = (what: string, attributes: Attributes): void => {
  trace.getActiveSpan()?.addEvent(what, attributes)
}

const HEADERS = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
}

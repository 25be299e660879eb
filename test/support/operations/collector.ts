import protobuf from 'protobufjs'
import { stopAfterTests } from '../stop-after-tests'

/** The part of OTLP that the tests read; the field numbers are those of opentelemetry-proto. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4;
    string name = 5; int32 kind = 6; repeated KeyValue attributes = 9;
    repeated Event events = 11; Status status = 15;
  }
  message Event { string name = 2; repeated KeyValue attributes = 3; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; } }
`)

type Attributes = Record<string, string>
export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  attributes: Attributes
  events: { name: string; attributes: Attributes }[]
  isError: boolean
  /** Attributes of the process that created the span. */
  resource: Attributes
}

type KeyValue = { key: string; value: Record<string, string> }
type Raw = {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: {
      spans: {
        traceId: string
        spanId: string
        parentSpanId: string
        name: string
        attributes: KeyValue[]
        events: { name: string; attributes: KeyValue[] }[]
        status: { code?: number } | null
      }[]
    }[]
  }[]
}

/** `startCollector`, stopped after the tests of the file or `describe`. */
export const useCollector = (...options: Parameters<typeof startCollector>) =>
  stopAfterTests(startCollector(...options))

/** A real receiver of OTLP over HTTP, as a collector is. `respond` returns its status. */
export const startCollector = (respond: () => number = () => 200) => {
  const spans: CollectedSpan[] = []
  const texts: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const { pathname } = new URL(request.url)
      const type = request.headers.get('content-type')
      if (pathname !== '/v1/traces' || type !== 'application/x-protobuf')
        return new Response('no', { status: 415 })
      const body = new Uint8Array(await request.arrayBuffer())
      const message = root.lookupType('Request').decode(body)
      texts.push(Buffer.from(body).toString('latin1'))
      // What the schema above says, as plain values.
      const raw = protobuf.Message.prototype.toJSON.call(message) as unknown
      spans.push(...collected(raw as Raw))
      return new Response(null, { status: respond() })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    /** All that came, byte for byte. */
    texts,
    stop: () => server.stop(true),
  }
}

const collected = (raw: Raw): CollectedSpan[] =>
  raw.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(scope =>
      scope.spans.map(span => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId ?? ''),
        name: span.name,
        attributes: plain(span.attributes),
        events: (span.events ?? []).map(({ name, attributes }) => ({
          name,
          attributes: plain(attributes),
        })),
        isError: span.status?.code === 2,
        resource: plain(resource.attributes),
      })),
    ),
  )

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')
const plain = (attributes: KeyValue[] = []): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]))

import type { Registry } from 'prom-client'

/** By this response `arden doctor` knows the metrics port of a running Arden. */
export const NOT_METRICS = 'Not found. The only path is GET /metrics.\n'

/**
 * Serves `GET /metrics` in Prometheus's text format: the metrics of `registry`, then those of `others`.
 */
export const createMetricsApp = (registry: Registry, others: (() => Promise<string>)[]) => ({
  server: undefined as unknown,
  fetch: async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname !== '/metrics' || !['GET', 'HEAD'].includes(request.method))
      return new Response(NOT_METRICS, { status: 404 })
    const texts = await Promise.all([registry.metrics(), ...others.map(other => other())])
    return new Response(texts.join('\n'), { headers: { 'content-type': registry.contentType } })
  },
})

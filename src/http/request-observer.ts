import type { Log } from '../log'
import type { Meter } from '../metrics/meter'
import { inSpan, setSpanError } from '../tracing/span'
import { labelOf } from './methods'
import { releaseBody } from './request/body-limit'
import { getCaller } from './request/caller'
import type { RouteOf } from './request/paths'

/** Handles a request. */
type Handler = (request: Request) => Response | Promise<Response>

/** A response with a status of 400 and above. */
export type FailedResponse = {
  request: Request
  requestId: string
  method: string
  /** The route template; `none` for an unknown path. */
  route: string
  path: string
  status: number
  /** From the request until its response. */
  ms: number
}

export type RequestObserverParts = {
  routeOf: RouteOf
  meter: Meter
  log: Log
  recordFailure: (response: FailedResponse) => void
}

/**
 * Counts, times, traces and logs each request, refused ones included, and ends the count of its body. The access log has the route, never the
 * path or the query, which clients choose.
 */
export const createRequestObserver =
  ({ routeOf, meter, log, recordFailure }: RequestObserverParts) =>
  (request: Request, handler: Handler): Promise<Response> => {
    const began = performance.now()
    const method = labelOf(request.method)
    const path = pathOf(request.url)
    const route = routeOf(path)
    const span = {
      kind: 'SERVER',
      attributes: { 'http.request.method': method, 'http.route': route },
      from: request.headers,
    } as const
    return inSpan(`${method} ${route}`, span, async span => {
      const response = await Promise.resolve(handler(request)).finally(() => releaseBody(request))
      const ms = performance.now() - began
      const { status } = response
      meter.recordRequest({ method, route, status, seconds: ms / 1000 })
      if (status >= 400)
        recordFailure({
          request,
          requestId: requestIdOf(response) ?? '',
          method,
          route,
          path,
          status,
          ms,
        })
      if (log.isLevelEnabled('debug'))
        log.debug(
          {
            request_id: requestIdOf(response),
            method,
            route,
            status,
            ms: Math.round(ms * 10) / 10,
            ...callerIds(request),
          },
          'request',
        )
      if (span.isRecording())
        span.setAttributes({
          'http.response.status_code': status,
          request_id: requestIdOf(response) ?? undefined,
          ...callerIds(request),
        })
      if (status >= 500) setSpanError(span, String(status))
      return response
    })
  }

export type RequestObserver = ReturnType<typeof createRequestObserver>

const requestIdOf = (response: Response) => response.headers.get('x-request-id')

/** `key_id`, or `user_id` for the dashboard; empty for an unauthenticated request. */
const callerIds = (request: Request) => {
  const actor = getCaller(request)?.actor
  return actor && { [`${actor.type}_id`]: actor.id }
}

/**
 * The path of an absolute URL as Bun formats it. `new URL` would cost more than the rest of this observer.
 */
const pathOf = (url: string): string => {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

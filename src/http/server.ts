import { StartError } from '../errors'
import type { RequestObserver } from './request-observer'

/**
 * Seconds a connection may stay without a byte before it is closed. Bun itself gives the head of a request
 * 10 s to come whole, however it trickles, and there is no option for that.
 */
const IDLE_S = 60
/** Milliseconds that requests under way have to end when the server stops. */
const DRAIN_MS = 30_000
/**
 * Bun's own refusal has no JSON body; ours is at 1 MiB (http/request/body.ts), long before this. It also refuses a
 * head of more than 16 KiB by itself, 431 without a body, before we see it.
 */
const BODY_LIMIT_BYTES = 1024 ** 3

type FetchHandler = { fetch: (request: Request) => Response | Promise<Response>; server: unknown }

export type HttpServer = { url: string; stop: () => Promise<void> }

/** Where to listen; `setting` is what the port was set by, for the message when it cannot be had. */
type ListenAddress = { host: string; port: number; setting: 'PORT' | 'ARDEN_METRICS_PORT' }

/**
 * Serves the app, each request by way of `observe`. Not `app.listen`: that shares the port with whoever else
 * asks for it, so a port in use would go unnoticed.
 * @throws {StartError} when the port is in use or may not be taken.
 */
export const startHttpServer = (
  app: FetchHandler,
  { host, port, setting }: ListenAddress,
  observe?: RequestObserver,
): HttpServer => {
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      development: false,
      // Said aloud: outside of development Bun lets other Bun processes of the same user share the port.
      reusePort: false,
      idleTimeout: IDLE_S,
      maxRequestBodySize: BODY_LIMIT_BYTES,
      fetch: request => {
        if (!URL.canParse(request.url)) return badRequest()
        return observe ? observe(request, app.fetch) : app.fetch(request)
      },
    })
    app.server = server
    const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host
    return {
      url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${server.port}`,
      stop: async () => {
        await Promise.race([server.stop(), Bun.sleep(DRAIN_MS)])
        await server.stop(true)
      },
    }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : undefined
    if (reason === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} is in use. Stop what uses it, or set ${setting} to another one.`,
      )
    if (reason === 'EACCES')
      throw new StartError(`Port ${port} may not be taken. Set ${setting} to one above 1023.`)
    throw new StartError(
      `Cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : error}. Check HOST and ${setting}.`,
    )
  }
}

/** A Host that is none leaves the request without a URL. Answered as Bun answers one without any Host. */
const badRequest = () => new Response(null, { status: 400, headers: { Connection: 'close' } })

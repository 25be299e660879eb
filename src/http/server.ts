import { isIP } from 'node:net'
import { StartError } from '../errors'
import type { RequestObserver } from './request-observer'

/**
 * Idle timeout of a connection, in seconds. For the headers of a request, Bun has a fixed timeout of 10 s.
 */
const IDLE_S = 60
/** Time for running requests to finish when the server stops, in ms. */
const DRAIN_MS = 30_000
/**
 * Bun's own limit, which responds without a JSON body. Ours is 1 MiB (request/body.ts). Bun also limits the
 * headers to 16 KiB, with a 431 (contract 1.6).
 */
const BODY_LIMIT_BYTES = 1024 ** 3

/**
 * The URL of a server of this machine with its name instead of its address: browsers have passkeys for names only, and
 * keep the cookies of the two apart.
 */
export const byName = (url: string): string => url.replace('//127.0.0.1:', '//localhost:')

type FetchHandler = { fetch: (request: Request) => Response | Promise<Response>; server: unknown }

export type HttpServer = { url: string; stop: () => Promise<void> }

/** `setting` is the environment variable or the option of the port, for error messages. */
type ListenAddress = {
  host: string
  port: number
  setting: 'PORT' | 'ARDEN_METRICS_PORT' | '--port'
}

/**
 * Serves the app; `observe` wraps each request. `app.listen` would share the port with other processes, so a
 * port in use would go unnoticed.
 * @throws {StartError} when the port is in use or not permitted.
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
      // Explicit: outside of development, Bun lets other Bun processes of the same user share the port.
      reusePort: false,
      idleTimeout: IDLE_S,
      maxRequestBodySize: BODY_LIMIT_BYTES,
      fetch: request => {
        if (!URL.canParse(request.url)) return badRequest()
        return observe ? observe(request, app.fetch) : app.fetch(request)
      },
    })
    app.server = server
    const shown =
      host === '0.0.0.0' || host === '::' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1')
    return {
      url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${server.port}`,
      stop: async () => {
        await Promise.race([server.stop(), Bun.sleep(DRAIN_MS)])
        await server.stop(true)
      },
    }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : undefined
    // Bun reports it also for a name that does not resolve.
    const isHost = isIP(host) !== 0 || host === 'localhost'
    if (reason === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} is in use${isHost ? '' : `, or ${host} is not an address of this machine`}. Stop the program that uses it, or set ${setting} to another port${isHost ? '' : ', or correct HOST'}.`,
      )
    if (reason === 'EACCES')
      throw new StartError(`Port ${port} needs privileges. Set ${setting} to a port above 1023.`)
    if (reason === 'EADDRNOTAVAIL' || !isHost)
      throw new StartError(
        `Cannot listen on ${host}:${port}: ${host} is not an address of this machine. Check HOST, such as 127.0.0.1, or 0.0.0.0 for all its addresses.`,
      )
    throw new StartError(
      `Cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : error}. Check HOST and ${setting}.`,
    )
  }
}

/**
 * An invalid Host header leaves the request without a URL. Responds as Bun does without a Host header.
 */
const badRequest = () => new Response(null, { status: 400, headers: { Connection: 'close' } })

import net, { type AddressInfo, type Socket } from 'node:net'
import type { PostRequest } from '../../../src/webhooks/transport/post'

type Responder = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

/** Receivers for tests of `createPost`, on free ports of loopback, by port. `stop` stops all. */
export const createPostReceivers = () => {
  const stops: (() => void)[] = []
  return {
    /** Speaks HTTP as it should; over TLS with the certificates given. */
    receiver: (fetch: Responder, tls?: Bun.TLSOptions[]) => {
      const server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        idleTimeout: 0,
        fetch,
        ...(tls && { tls }),
      })
      stops.push(() => server.stop(true))
      return server.port
    },
    /** Does as `onRequest` likes; `count` is how many requests have come over that socket. */
    socketReceiver: async (onRequest: (socket: Socket, count: number) => void) => {
      const server = net.createServer(socket => {
        let count = 0
        socket.on('error', () => {})
        socket.on('data', () => onRequest(socket, ++count))
      })
      stops.push(() => server.close())
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    },
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}

/** The address that every name resolves to. */
export const local = async () => ({ address: '127.0.0.1', family: 4 })
const never = new AbortController().signal

/** A request to `port` of loopback, by the name hooks.test. */
export const request = (
  port: number | undefined,
  more: Partial<PostRequest> = {},
): PostRequest => ({
  accountId: 'acc_test',
  url: new URL(`http://hooks.test:${port}/in?token=t`),
  resolve: local,
  headers: { 'Content-Type': 'application/json' },
  body: '{"é":1}',
  signal: never,
  ...more,
})

/** A 200 response as sent on the wire. */
export const text = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`

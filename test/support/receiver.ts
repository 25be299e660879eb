import { stopAfterTests } from './stop-after-tests'

/** One request that arrived at a receiver. */
export type ReceivedRequest = {
  path: string
  headers: Record<string, string>
  body: string
  at: number
}

type Responder = (received: ReceivedRequest, count: number) => Response | Promise<Response>

/** `startReceiver`, stopped after the tests of the file or `describe`. */
export const useReceiver = (...options: Parameters<typeof startReceiver>) =>
  stopAfterTests(startReceiver(...options))

/**
 * A real HTTP receiver on a free port of loopback, or of another address of this machine. `respond` gets each request
 * and how many have come with its delivery id, itself included; without it, every response is 200.
 */
export const startReceiver = (
  respond: Responder = () => new Response('ok'),
  address = '127.0.0.1',
) => {
  const received: ReceivedRequest[] = []
  const server = Bun.serve({
    port: 0,
    hostname: address,
    idleTimeout: 0,
    fetch: async request => {
      const one: ReceivedRequest = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        at: performance.now(),
      }
      received.push(one)
      const id = one.headers['x-webhook-delivery-id']
      return respond(
        one,
        received.filter(other => other.headers['x-webhook-delivery-id'] === id).length,
      )
    },
  })
  return {
    url: `http://${address}:${server.port}`,
    received,
    stop: () => server.stop(true),
  }
}

export type Receiver = ReturnType<typeof startReceiver>

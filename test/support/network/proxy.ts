import { connect, createServer, type Socket } from 'node:net'

/**
 * A TCP proxy in front of a server: `cut` ends every connection and refuses new ones, as if the server
 * had died; `restore` brings it back on the same port. `hang` lets nothing through on the connections there are, for
 * good, and leaves them open; of `responses`, nothing that the server sends. `reset` ends every connection with an error.
 */
export const startProxy = (target: string) => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let open = true
  const server = createServer(client => {
    if (!open) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    upstreams.add(upstream)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  const address = server.address()
  const url = new URL(target)
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.toString(),
    hang: (what: 'everything' | 'responses' = 'everything') => {
      for (const socket of what === 'everything' ? sockets : upstreams) socket.unpipe().pause()
    },
    cut: () => {
      open = false
      for (const socket of sockets) socket.destroy()
      sockets.clear()
      upstreams.clear()
    },
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy()
      sockets.clear()
      upstreams.clear()
    },
    restore: () => {
      open = true
    },
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

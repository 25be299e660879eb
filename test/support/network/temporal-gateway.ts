import { once } from 'node:events'
import http2 from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import tls from 'node:tls'
import type { Pair } from './certificates'

type Gateway = {
  /** host:port, for TEMPORAL_ADDRESS. */
  address: string
  stop: () => void
}

/**
 * Real TLS in front of the Temporal at `target`, whose own server has none. `clients`: the authority that
 * must have issued the certificate of who connects.
 */
export const startTlsGateway = async (
  target: string,
  own: Pair,
  clients?: { cert: string },
): Promise<Gateway> => {
  const server = tls.createServer(
    {
      ...own,
      ALPNProtocols: ['h2'],
      ...(clients && { ca: clients.cert, requestCert: true, rejectUnauthorized: true }),
    },
    socket => {
      const temporal = connect(portOf(target), '127.0.0.1')
      socket.pipe(temporal).pipe(socket)
      socket.on('error', () => temporal.destroy())
      temporal.on('error', () => socket.destroy())
    },
  )
  // The client reports a handshake that fails.
  server.on('tlsClientError', () => {})
  return await listening(server)
}

/**
 * TLS that lets in only requests with the API key `key`, as Temporal Cloud does, and hands them on one by
 * one. `authorizations` has the header of each request so far.
 */
export const startKeyGateway = async (
  target: string,
  own: Pair,
  key: string,
): Promise<Gateway & { authorizations: (string | undefined)[] }> => {
  const authorizations: (string | undefined)[] = []
  const temporal = http2.connect(`http://${target}`)
  const server = http2.createSecureServer(own)
  server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    const { authorization, ...rest } = headers
    authorizations.push(authorization)
    if (authorization !== `Bearer ${key}`) {
      stream.respond(UNAUTHENTICATED, { endStream: true })
      return
    }
    const request = temporal.request({
      ...withoutPseudo(rest),
      ':method': 'POST',
      ':path': headers[':path'],
    })
    let trailers: http2.IncomingHttpHeaders = {}
    request.on('response', response => {
      if (stream.destroyed) return // The client has disconnected during a poll.
      const endStream = 'grpc-status' in response
      stream.respond(
        { ':status': 200, ...withoutPseudo(response) },
        { endStream, waitForTrailers: !endStream },
      )
    })
    request.on('trailers', sent => {
      trailers = withoutPseudo(sent)
    })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.on('close', () => request.close())
    stream.on('error', () => request.close())
    request.on('error', () => stream.close())
    stream.pipe(request)
    request.on('data', data => stream.write(data))
    request.on('end', () => stream.end())
  })
  const { address, stop } = await listening(server)
  return {
    address,
    authorizations,
    stop: () => {
      stop()
      temporal.destroy()
    },
  }
}

/** gRPC's UNAUTHENTICATED, in the words of Temporal Cloud. */
const UNAUTHENTICATED = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '16',
  'grpc-message': 'Request unauthorized.',
}

const withoutPseudo = (headers: http2.IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))

const portOf = (address: string) => Number(address.split(':').at(-1))

const listening = async (server: tls.Server | http2.Http2SecureServer): Promise<Gateway> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, stop: () => void server.close() }
}

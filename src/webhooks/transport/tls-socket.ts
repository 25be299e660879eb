/**
 * TLS to receivers. BoringSSL verifies the whole chain of certificates on the thread that reads it, before anything can
 * refuse it, so the bytes of a connection are counted before it reads them: 90 certificates of P-521 cost 120 ms of
 * CPU, and 50,000 session tickets after a handshake 450 ms.
 */
import net, { isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import tls, { type TLSSocket } from 'node:tls'
import type { Address } from './dns'
import { InvalidResponse } from './response'

/**
 * Bytes of a handshake from the receiver on the thread of all attempts: about 19 certificates of P-521, 26 ms of CPU.
 * Chains of public certificate authorities have 2 to 6 KB.
 */
export const HANDSHAKE_MAX_BYTES = 8 * 1024
/** The same in a thread of the account's own. BoringSSL itself refuses certificates of more than 100 KiB. */
export const ISOLATED_HANDSHAKE_MAX_BYTES = 256 * 1024
/**
 * Bytes of one exchange that are not HTTP, such as session tickets and the headers of records. A response of 64 KiB has
 * 2 KB of them.
 */
const OVERHEAD_MAX_BYTES = 64 * 1024

/** The connection was open, and its TLS handshake failed because of `cause`. */
export class HandshakeError extends Error {
  override name = 'HandshakeError'
}

/** The receiver sent more before the end of the handshake than is permitted. The message is the error of an attempt. */
export class LargeHandshake extends Error {
  override name = 'LargeHandshake'
}

type CountedTlsSocket = {
  socket: TLSSocket
  /** The connection under it. */
  tcp: Socket
  /** A request begins: counts its bytes from zero. */
  startExchange: () => void
}

export type TlsDestination = {
  url: URL
  address: Address
  /** Calls `read` when what the receiver sent in the handshake may be read, or may no longer be. Without it, at once. */
  inTurn?: (read: (isPermitted: boolean) => void) => void
}

/** Emits `LargeHandshake` or `InvalidResponse` as its error when a limit is passed. */
export const connectTls = (
  { url, address, inTurn = read => read(true) }: TlsDestination,
  { ca, handshakeMaxBytes }: { ca?: string | undefined; handshakeMaxBytes: number },
): CountedTlsSocket => {
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const { address: host, family } = address
  const tcp = net.connect({ host, family, port: Number(url.port || 443), noDelay: true })
  let left = handshakeMaxBytes
  let isSecure = false
  let unread = 0

  const bytes = new Duplex({
    read: () => void tcp.resume(),
    write: (chunk: Buffer, _, done) => void tcp.write(chunk, () => done()),
    final: done => void tcp.end(done),
    destroy: (error, done) => {
      tcp.destroy()
      done(error)
    },
  })
  const socket = tls.connect({
    socket: bytes,
    host,
    // SNI permits host names only (RFC 6066, 3). Without it the certificate must match the address.
    servername: isIP(name) ? '' : name,
    ALPNProtocols: ['http/1.1'],
    // Explicit: NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    rejectUnauthorized: true,
    ...(ca && { ca }),
  })
  const refuse = () =>
    socket.destroy(
      isSecure
        ? new InvalidResponse('the response has too many bytes that are not HTTP')
        : new LargeHandshake('TLS: the certificates of the endpoint are too large'),
    )
  const push = (chunk: Buffer) => {
    if (!bytes.push(chunk)) tcp.pause()
  }
  tcp.on('data', (chunk: Buffer) => {
    // What came before must have been read by now: only then is it known to be HTTP.
    if (left < 0 || (!isSecure && chunk.length > left)) return refuse()
    left -= chunk.length
    if (isSecure && unread === 0) return push(chunk)
    unread++
    inTurn(isPermitted => {
      unread--
      if (socket.destroyed) return
      if (isPermitted || isSecure) push(chunk)
      else refuse()
    })
  })
  tcp.on('end', () => inTurn(() => bytes.push(null)))
  tcp.on('error', error => socket.destroy(error))
  const startExchange = () => {
    left = OVERHEAD_MAX_BYTES
  }
  socket.once('secureConnect', () => {
    isSecure = true
    startExchange()
  })
  socket.on('data', (chunk: Buffer) => {
    left += chunk.length
  })
  return { socket, tcp, startExchange }
}

/**
 * Pool of keep-alive connections to receivers, by scheme, checked address, port and, for TLS, server name: two
 * names on one address never share a connection. A certificate must match the host name of the URL, not the
 * address. TLS sessions are not resumed, so every new connection verifies the certificate.
 */
import net, { type Socket } from 'node:net'
import type { Deadline } from './deadlines'
import { connectTls, HandshakeError, type TlsDestination } from './tls-socket'

/**
 * Idle time before a connection is closed, in ms, unless the endpoint announces less. A new TLS connection takes 1.2 ms
 * of CPU, a request on a kept one 0.1. Common receivers close theirs after 60 to 75 s.
 */
const IDLE_MS = 60_000
/** Age from which a connection is not used again, in ms: the certificate may have expired or have been replaced. */
const AGE_MAX_MS = 10 * 60_000
/** Closed this long before the endpoint would close it, in ms, so that no request meets the close. */
const CLOSE_MARGIN_MS = 1_000
/** Interval between checks for expired idle connections, in ms. */
const EXPIRY_CHECK_MS = 1_000

/** The request that uses a connection: one at a time. An idle connection has none. */
type ConnectionUser = {
  data: (chunk: Buffer) => void
  /** The connection is closed. `error` is undefined where the endpoint closed it cleanly. */
  closed: (error: Error | undefined) => void
}

export type HttpConnection = {
  /** The connection has served a request before, so the endpoint may just have closed it. */
  isReused: boolean
  attach: (user: ConnectionUser) => void
  write: (text: string) => void
  /** Returns it to the pool. `keepAliveS`: the `Keep-Alive` time-out of the endpoint, in seconds. */
  release: (keepAliveS: number | undefined) => void
  /** Closes it at once, without a call of its user. */
  destroy: () => void
}

/** `account`: the one that sends there. */
export type Destination = TlsDestination & { account: string }

export type Connections = {
  /** Takes an idle connection from the pool, or returns undefined. */
  takeIdle: (destination: Destination) => HttpConnection | undefined
  /** @throws the error of node:net, or the reason of the deadline; {HandshakeError} for either after the connect. */
  open: (destination: Destination, deadline: Deadline) => Promise<HttpConnection>
}

/** `account`: the one that opened it. */
type IdleConnection = {
  connection: HttpConnection
  account: string
  tcp: Socket
  until: number
}

/** `socket` carries HTTP, and `tcp` is the connection under it: for http they are the same. */
type OpenSocket = { socket: Socket; tcp: Socket; startExchange: () => void }

/**
 * `ca`: PEM certificates to trust instead of those of the system. `handshakeMaxBytes`: of a TLS handshake. `idleMax`:
 * idle connections to all receivers together, each an open file; one more closes the oldest of the account that has most.
 */
export const createConnections = (options: {
  ca?: string | undefined
  handshakeMaxBytes: number
  idleMax: number
}): Connections => {
  const idle = new Map<string, IdleConnection[]>()
  /** All of them, each account's in the order in which they became idle. */
  const byAccount = new Map<string, Set<IdleConnection>>()
  let count = 0
  let expiryTimer: NodeJS.Timeout | undefined

  const take = (key: string, at: number) => {
    const all = idle.get(key)
    const [taken] = all?.splice(at, 1) ?? []
    if (all?.length === 0) idle.delete(key)
    if (taken === undefined) return undefined
    const own = byAccount.get(taken.account)
    own?.delete(taken)
    if (own?.size === 0) byAccount.delete(taken.account)
    count--
    return taken
  }
  const remove = (key: string, connection: HttpConnection) => {
    const at = idle.get(key)?.findIndex(one => one.connection === connection) ?? -1
    if (at >= 0) take(key, at)
  }
  const closeExpired = () => {
    const now = performance.now()
    for (const own of byAccount.values())
      for (const { connection, until } of own) if (until <= now) connection.destroy()
    if (count > 0) return
    clearInterval(expiryTimer)
    expiryTimer = undefined
  }
  const closeOne = () => {
    let most = new Set<IdleConnection>()
    for (const own of byAccount.values()) if (own.size > most.size) most = own
    const [oldest] = most
    oldest?.connection.destroy()
  }
  const add = (key: string, one: IdleConnection) => {
    const all = idle.get(key)
    if (all === undefined) idle.set(key, [one])
    else all.push(one)
    const own = byAccount.get(one.account)
    if (own === undefined) byAccount.set(one.account, new Set([one]))
    else own.add(one)
    count++
    if (count > options.idleMax) closeOne()
    expiryTimer ??= setInterval(closeExpired, EXPIRY_CHECK_MS).unref()
  }

  const wrap = (
    { account, ...destination }: Destination,
    { socket, tcp, startExchange }: OpenSocket,
  ): HttpConnection => {
    const key = keyOf(destination)
    const endOfAge = performance.now() + AGE_MAX_MS
    let user: ConnectionUser | undefined
    const closed = (error?: Error) => {
      const last = user
      user = undefined
      socket.destroy()
      remove(key, connection)
      last?.closed(error)
    }
    // Data on an idle connection is a response to no request.
    socket.on('data', (chunk: Buffer) => (user === undefined ? closed() : user.data(chunk)))
    socket.on('error', closed)
    socket.on('end', () => closed())
    socket.on('close', () => closed())
    const connection: HttpConnection = {
      isReused: false,
      attach: next => {
        user = next
        startExchange()
      },
      write: text => void socket.write(text),
      release: keepAliveS => {
        user = undefined
        const now = performance.now()
        const announced = keepAliveS === undefined ? IDLE_MS : keepAliveS * 1000 - CLOSE_MARGIN_MS
        const until = Math.min(now + Math.min(IDLE_MS, announced), endOfAge)
        // An endpoint that responded before it read the full request would take the rest for the next one.
        const isWriting = socket.writableLength + tcp.writableLength > 0
        if (until <= now || socket.destroyed || isWriting) {
          connection.destroy()
          return
        }
        connection.isReused = true
        // An idle connection does not keep the process alive.
        tcp.unref()
        add(key, { connection, account, tcp, until })
      },
      destroy: () => {
        user = undefined
        closed()
      },
    }
    return connection
  }

  return {
    takeIdle: destination => {
      const key = keyOf(destination)
      const taken = take(key, (idle.get(key)?.length ?? 0) - 1)
      if (taken === undefined) return undefined
      // Expired while the process was suspended: the endpoint or a firewall may have dropped it.
      if (taken.until <= performance.now()) {
        taken.connection.destroy()
        return undefined
      }
      taken.tcp.ref()
      return taken.connection
    },
    open: (destination, deadline) =>
      new Promise((resolve, reject) => {
        const isTls = destination.url.protocol === 'https:'
        const opened = isTls ? connectTls(destination, options) : connectTcp(destination)
        const { socket, tcp } = opened
        let isConnected = false
        const failed = (reason: unknown) => {
          deadline.onTimeout(undefined)
          socket.destroy()
          reject(isConnected ? new HandshakeError('', { cause: reason }) : reason)
        }
        const onClose = () => failed(connectionReset())
        deadline.onTimeout(failed)
        socket.on('error', failed)
        socket.on('close', onClose)
        tcp.once('connect', () => {
          isConnected = true
        })
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          deadline.onTimeout(undefined)
          socket.off('error', failed)
          socket.off('close', onClose)
          resolve(wrap(destination, opened))
        })
      }),
  }
}

/** The error of node:net for a connection that the other side closed. */
export const connectionReset = (): Error =>
  Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

const keyOf = ({ url, address }: TlsDestination) =>
  `${url.protocol} ${address.address} ${url.port} ${url.protocol === 'https:' ? url.hostname : ''}`

const connectTcp = ({ url, address: { address: host, family } }: TlsDestination): OpenSocket => {
  const tcp = net.connect({ host, family, port: Number(url.port || 80), noDelay: true })
  return { socket: tcp, tcp, startExchange: () => {} }
}

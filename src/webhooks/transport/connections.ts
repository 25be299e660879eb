/**
 * Connections to receivers, kept for the next request. By scheme, checked address, port and, for TLS, server
 * name: two names on one address never share a session, and a certificate must be for the URL's name, not
 * for the address that is connected to. No session is resumed, so a new connection is verified anew.
 */
import net, { isIP, type Socket } from 'node:net'
import tls from 'node:tls'
import type { Deadline } from './deadlines'
import type { Address } from './dns'

/** Of an idle connection, in ms, unless the endpoint says less. */
const IDLE_MS = 10_000
/** A connection goes this long before the endpoint would close it, in ms: a request may be on its way. */
const BEFORE_CLOSE_MS = 1_000
/** Between looks for those that were idle for too long, in ms. */
const SWEEP_MS = 1_000
/** Idle at a time, over all receivers: each is an open file. */
const IDLE_MAX = 1_000

/** Who uses a connection. Exactly one at a time; an idle connection has nobody, and says nothing. */
export type User = {
  data: (chunk: Buffer) => void
  /** Nothing more comes: `error` is what broke it, undefined where the endpoint closed it in order. */
  closed: (error: Error | undefined) => void
}

export type Connection = {
  /** It was used before: the endpoint may have closed it just now. */
  isReused: boolean
  use: (user: User) => void
  write: (text: string) => void
  /** Lets go of it, for the next request to the same receiver; `keepAliveS` as the endpoint said. */
  keep: (keepAliveS: number | undefined) => void
  /** Ends it at once. Its user hears nothing more. */
  end: () => void
}

export type Connections = {
  /** A kept connection, or undefined. */
  kept: (receiver: Destination) => Connection | undefined
  /** @throws what went wrong, as node:net and node:tls say it; the reason of `end`. */
  open: (receiver: Destination, end: Deadline) => Promise<Connection>
}

export type Destination = { url: URL; address: Address }

type Idle = { connection: Connection; socket: Socket; until: number }

/** `ca`, in PEM: certificates to trust in place of the system's. */
export const createConnections = (ca?: string): Connections => {
  const idle = new Map<string, Idle[]>()
  let count = 0
  let sweeper: NodeJS.Timeout | undefined

  const take = (key: string, at: number) => {
    const all = idle.get(key)
    const [taken] = all?.splice(at, 1) ?? []
    if (all?.length === 0) idle.delete(key)
    if (taken !== undefined) count--
    return taken
  }
  const forget = (key: string, connection: Connection) => {
    const at = idle.get(key)?.findIndex(one => one.connection === connection) ?? -1
    if (at >= 0) take(key, at)
  }
  const sweep = () => {
    const now = performance.now()
    for (const all of [...idle.values()])
      for (const { connection, until } of [...all]) if (until <= now) connection.end()
    if (count > 0) return
    clearInterval(sweeper)
    sweeper = undefined
  }
  const add = (key: string, one: Idle) => {
    const all = idle.get(key)
    if (all === undefined) idle.set(key, [one])
    else all.push(one)
    count++
    sweeper ??= setInterval(sweep, SWEEP_MS).unref()
  }

  const wrap = (key: string, socket: Socket): Connection => {
    let user: User | undefined
    const closed = (error?: Error) => {
      const last = user
      user = undefined
      socket.destroy()
      forget(key, connection)
      last?.closed(error)
    }
    // What an idle connection says is no answer to anything.
    socket.on('data', (chunk: Buffer) => (user === undefined ? closed() : user.data(chunk)))
    socket.on('error', closed)
    socket.on('end', () => closed())
    socket.on('close', () => closed())
    const connection: Connection = {
      isReused: false,
      use: next => {
        user = next
      },
      write: text => void socket.write(text),
      keep: keepAliveS => {
        user = undefined
        const ms =
          keepAliveS === undefined
            ? IDLE_MS
            : Math.min(IDLE_MS, keepAliveS * 1000 - BEFORE_CLOSE_MS)
        // An endpoint that answers before it has read everything reads the rest as the next request.
        if (ms <= 0 || count >= IDLE_MAX || socket.destroyed || socket.writableLength > 0) {
          connection.end()
          return
        }
        connection.isReused = true
        // It keeps no process from ending.
        socket.unref()
        add(key, { connection, socket, until: performance.now() + ms })
      },
      end: () => {
        user = undefined
        closed()
      },
    }
    return connection
  }

  return {
    kept: receiver => {
      const key = keyOf(receiver)
      const taken = take(key, (idle.get(key)?.length ?? 0) - 1)
      if (taken === undefined) return undefined
      // This process did nothing for a while: the endpoint, or a firewall between, may have forgotten it.
      if (taken.until <= performance.now()) {
        taken.connection.end()
        return undefined
      }
      taken.socket.ref()
      return taken.connection
    },
    open: (receiver, end) =>
      new Promise((resolve, reject) => {
        const socket = connectTo(receiver, ca)
        const failed = (reason: unknown) => {
          end.onTimeout(undefined)
          socket.destroy()
          reject(reason)
        }
        const onClose = () => failed(connectionReset())
        end.onTimeout(failed)
        socket.on('error', failed)
        socket.on('close', onClose)
        socket.once(socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect', () => {
          end.onTimeout(undefined)
          socket.off('error', failed)
          socket.off('close', onClose)
          resolve(wrap(keyOf(receiver), socket))
        })
      }),
  }
}

/** As the driver says it when the other side breaks a connection. */
export const connectionReset = (): Error =>
  Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

const keyOf = ({ url, address }: Destination) =>
  `${url.protocol} ${address.address} ${url.port} ${url.protocol === 'https:' ? url.hostname : ''}`

const connectTo = ({ url, address }: Destination, ca: string | undefined): Socket => {
  const where = { host: address.address, family: address.family, noDelay: true }
  if (url.protocol === 'http:') return net.connect({ ...where, port: Number(url.port || 80) })
  const name = url.hostname.replace(/^\[|\]$/g, '')
  return tls.connect({
    ...where,
    port: Number(url.port || 443),
    // A name, never an address (RFC 6066, 3); without one, the certificate must be for the address.
    servername: isIP(name) ? '' : name,
    ALPNProtocols: ['http/1.1'],
    ...(ca && { ca }),
  })
}

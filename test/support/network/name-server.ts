import dgram from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import net from 'node:net'
import { setNameServers } from '../../../src/webhooks/transport/dns'

/** IPv4 addresses of a name, or how the server fails. */
export type NameResponse = string[] | 'silent' | 'failing'

const TYPE_A = 1
const HEADER_BYTES = 12
/** More do not fit into 512 bytes: the response says so, and the query is repeated over TCP. */
const UDP_MAX_ADDRESSES = 25

/**
 * A name server on loopback that this process queries from now on. `respond` is called for each query; only those of
 * type A get addresses. Returns the names of all queries.
 */
export const startNameServer = async (
  respond: (name: string, type: 'A' | 'AAAA') => NameResponse,
) => {
  const server = dgram.createSocket('udp4')
  const queried: string[] = []
  const respondTo = (query: Buffer, isTcp: boolean): Buffer | undefined => {
    const end = query.indexOf(0, 12)
    const name = query.toString('latin1', 13, end).replace(/[\0-\x2c]/g, '.')
    if (!isTcp) queried.push(name)
    const isIPv4 = query.readUInt16BE(end + 1) === TYPE_A
    const response = respond(name, isIPv4 ? 'A' : 'AAAA')
    if (response === 'silent') return undefined
    const isFailure = response === 'failing'
    const all = isFailure || !isIPv4 ? [] : response
    const isTruncated = !isTcp && all.length > UDP_MAX_ADDRESSES
    const addresses = isTruncated ? [] : all
    const head = Buffer.alloc(HEADER_BYTES)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(isTruncated ? 0x8380 : isFailure ? 0x8182 : 0x8180, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(addresses.length, 6)
    const records = addresses.map(address =>
      // The name of the question, type A, class IN, a TTL of 0, so that no resolver keeps it, 4 bytes.
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    )
    return Buffer.concat([head, query.subarray(12, end + 5), ...records])
  }
  server.on('message', (query, from) => {
    const response = respondTo(query, false)
    if (response !== undefined) server.send(response, from.port)
  })
  const tcp = net.createServer(socket => {
    let unread = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk])
      while (unread.length >= 2 && unread.length >= 2 + unread.readUInt16BE()) {
        const end = 2 + unread.readUInt16BE()
        // Shorter than the header: not a resolver, but a client of a server that had this port before.
        if (end < 2 + HEADER_BYTES) return socket.destroy()
        const response = respondTo(unread.subarray(2, end), true)
        unread = unread.subarray(end)
        if (response === undefined) continue
        const length = Buffer.alloc(2)
        length.writeUInt16BE(response.length)
        socket.write(Buffer.concat([length, response]))
      }
    })
  })
  // First TCP: far more of its ports are in use, so the same port of UDP is free.
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as net.AddressInfo
  server.bind(port, '127.0.0.1')
  await once(server, 'listening')
  const before = dns.getServers()
  setNameServers([`127.0.0.1:${port}`])
  return {
    queried,
    stop: () => {
      setNameServers(before)
      server.close()
      tcp.close()
    },
  }
}

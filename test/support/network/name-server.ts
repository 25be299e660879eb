import dgram from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'

/** IPv4 addresses of a name, or how the server fails. */
export type NameResponse = string[] | 'silent' | 'failing'

const TYPE_A = 1

/**
 * A name server on loopback that this process queries from now on. `respond` is called for each query; only those of
 * type A get addresses. Returns the names of all queries.
 */
export const startNameServer = async (
  respond: (name: string, type: 'A' | 'AAAA') => NameResponse,
) => {
  const server = dgram.createSocket('udp4')
  const queried: string[] = []
  server.on('message', (query, from) => {
    const end = query.indexOf(0, 12)
    const name = query.toString('latin1', 13, end).replace(/[\0-\x3f]/g, '.')
    queried.push(name)
    const isIPv4 = query.readUInt16BE(end + 1) === TYPE_A
    const response = respond(name, isIPv4 ? 'A' : 'AAAA')
    if (response === 'silent') return
    const isFailure = response === 'failing'
    const addresses = isFailure || !isIPv4 ? [] : response
    const head = Buffer.from([0, 0, 0x81, isFailure ? 0x82 : 0x80, 0, 1, 0, addresses.length])
    query.copy(head, 0, 0, 2)
    const question = query.subarray(12, end + 5)
    const records = addresses.map(address =>
      // The name of the question, type A, class IN, a TTL of 0, so that no resolver keeps it, 4 bytes.
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    )
    server.send(Buffer.concat([head, Buffer.alloc(4), question, ...records]), from.port)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${server.address().port}`])
  return {
    queried,
    stop: () => {
      dns.setServers(before)
      server.close()
    },
  }
}

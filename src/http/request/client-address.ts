import ipaddr from 'ipaddr.js'

/** The client's address, from the address of the connection and the X-Forwarded-For header. */
export type ClientAddress = (peer: string, forwardedFor: string | null) => string

type Range = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Behind a trusted proxy, the client is the last address in X-Forwarded-For that is not a trusted proxy
 * (contract 3.10). Otherwise it is the peer, and the header is ignored.
 */
export const createClientAddress = (trustedProxies: string[]): ClientAddress => {
  const trusted = trustedProxies.map(parseRange)
  const isTrusted = (address: string) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return trusted.some(
      ([base, bits]) => parsed.kind() === base.kind() && parsed.match([base, bits] as never),
    )
  }
  return (peer, forwardedFor) => {
    if (forwardedFor === null || !isTrusted(peer)) return normalizeAddress(peer)
    // From right to left: each trusted hop vouches for the address before it, and no further. What a client wrote is
    // on the left, so its length does not matter.
    let client = peer
    let end = forwardedFor.length
    for (let hops = 0; hops < HOPS_MAX && end >= 0; hops++) {
      const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
      const hop = withoutPort(forwardedFor.slice(comma + 1, end))
      if (!ipaddr.isValid(hop)) break
      client = hop
      if (!isTrusted(hop)) break
      end = comma
    }
    return normalizeAddress(client)
  }
}

/** Hops that are read. A chain of proxies has a few. */
const HOPS_MAX = 20
/** Characters of one hop. An IPv6 address with a zone, brackets and a port has about 60. */
const HOP_MAX = 100

/**
 * Some proxies append the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. Without a pattern: clients write this
 * text, and backtracking over 8 KB of it took 0.3 s.
 */
const withoutPort = (text: string): string => {
  if (text.length > HOP_MAX) return ''
  const hop = text.trim()
  if (hop.startsWith('[')) return hop.slice(1, hop.indexOf(']'))
  const colon = hop.indexOf(':')
  return colon >= 0 && colon === hop.lastIndexOf(':') ? hop.slice(0, colon) : hop
}

/** The plain form of an IPv4 address that arrived over an IPv6 socket. */
const normalizeAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address

/** Bytes of an IPv6 address that name its network: providers give each customer a /64 or more. */
const NETWORK_BYTES = 8
/** A /48 is free of charge at some providers, and has 65,536 networks. */
const SITE_BYTES = 6

/** The network that limits by address count: an IPv4 address itself, of an IPv6 address the /64 (contract 3.10). */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return prefixOf(parsed, NETWORK_BYTES)
}

/** The /48 of an IPv6 address. Limits by network are four times as high for it (contract 3.10). */
export const siteOf = (address: string): string | undefined => {
  if (!ipaddr.isValid(address)) return undefined
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? undefined : prefixOf(parsed, SITE_BYTES)
}

const prefixOf = (address: ReturnType<typeof ipaddr.process>, bytes: number): string =>
  `${ipaddr.fromByteArray(address.toByteArray().fill(0, bytes))}/${bytes * 8}`

const parseRange = (text: string): Range => {
  if (!ipaddr.isValid(text)) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

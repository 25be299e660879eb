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
    // From right to left: each trusted hop vouches for the address before it, and no further.
    let client = peer
    for (const hop of forwardedFor.split(',').reverse().map(withoutPort)) {
      if (!ipaddr.isValid(hop)) break
      client = hop
      if (!isTrusted(hop)) break
    }
    return normalizeAddress(client)
  }
}

/** Some proxies append the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string) =>
  /^\s*\[?(.*?)(?:\]:\d+|\]|(?<=\.\d+):\d+)?\s*$/.exec(hop)?.[1] ?? ''

/** The plain form of an IPv4 address that arrived over an IPv6 socket. */
const normalizeAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address

const parseRange = (text: string): Range => {
  if (!ipaddr.isValid(text)) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

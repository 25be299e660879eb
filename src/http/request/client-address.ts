import ipaddr from 'ipaddr.js'

/** The client's address, from the peer's and the X-Forwarded-For header. */
export type ClientAddress = (peer: string, forwardedFor: string | null) => string

type Range = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Who a request comes from: the peer, or, where the peer is a trusted proxy, the last address in
 * X-Forwarded-For that is not one (contract 3.10). What a client writes itself into that header counts
 * only if every proxy behind it is trusted.
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
    // From the right: each trusted hop vouches for the one before it, and for nothing further.
    let client = peer
    for (const hop of forwardedFor.split(',').reverse().map(withoutPort)) {
      if (!ipaddr.isValid(hop)) break
      client = hop
      if (!isTrusted(hop)) break
    }
    return normalizeAddress(client)
  }
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string) =>
  /^\s*\[?(.*?)(?:\]:\d+|\]|(?<=\.\d+):\d+)?\s*$/.exec(hop)?.[1] ?? ''

/** One spelling for an IPv4 address, whether it came over an IPv6 socket or not. */
const normalizeAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address

const parseRange = (text: string): Range => {
  if (!ipaddr.isValid(text)) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

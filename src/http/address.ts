import ipaddr from 'ipaddr.js'
import { StartError } from '../errors'

/** The client's address, from the peer's and the X-Forwarded-For header. */
export type ClientAddress = (peer: string, forwardedFor: string | null) => string

type Range = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Who a request comes from: the peer, or, where the peer is a trusted proxy, the last address in
 * X-Forwarded-For that is not one (contract 3). What a client writes itself into that header counts
 * only if every proxy behind it is trusted.
 * @throws {StartError} for a setting that is no address and no range.
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
    if (forwardedFor === null || !isTrusted(peer)) return plain(peer)
    const hops = forwardedFor.split(',').map(hop => hop.trim())
    return plain(hops.reverse().find(hop => ipaddr.isValid(hop) && !isTrusted(hop)) ?? peer)
  }
}

/** One spelling for an IPv4 address, whether it came over an IPv6 socket or not. */
const plain = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address

const parseRange = (text: string): Range => {
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  throw new StartError(
    `ARDEN_TRUSTED_PROXIES has "${text}", which is no address and no CIDR range.`,
  )
}

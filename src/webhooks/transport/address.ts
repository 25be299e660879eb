/**
 * The address guard (contract 4.3).
 *
 * Threat model. Anyone with a key names a URL that our machines then POST to and whose answer they get
 * to read. They control the URL's text, the DNS of its name (which may answer differently each time,
 * and with several addresses), and the endpoint. They must not reach anything that is not a public
 * host: our loopback, our network, the cloud's metadata service, or any of these through a translating
 * prefix (IPv4-mapped, NAT64, 6to4, Teredo).
 *
 * - The URL is parsed once, by the parser whose result is connected to; what other parsers might read
 *   differently (spaces, control characters, backslashes, credentials) is refused.
 * - Not names but addresses are judged, and ALL that a name resolves to must be public: one bad address
 *   among good ones is an attack or a mistake, never a service.
 * - The check answers the address to connect to. Whoever connects must use that address and not resolve
 *   again, must not follow redirects, and must check again at every connection.
 * - IPv6 is an allow-list (2000::/3 is all that IANA has handed out as global unicast) minus the special
 *   ranges within it; IPv4 is everything minus the special ranges.
 *
 * Not covered: a network that routes public addresses to inside hosts. That needs a rule at its egress.
 */
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { invalid } from '../../errors'
import { type Address, createLookup, isTemporaryDnsError, type Lookup } from './dns'

const URL_MAX_CHARACTERS = 2048
/** For the check of a webhook that is made, in seconds; an attempt waits as for its endpoint. */
const CHECK_S = 5
/** Between asking a resolver again that is away, in ms. */
const LOOK_UP_AGAIN_MS = 1_000

/** `allowPrivate` permits http and private addresses, for development (contract 4.3). */
export type AddressRules = { allowPrivate: boolean }

/** The URL must not be connected to, or leads nowhere. The message says why in a few words. */
export class AddressError extends Error {
  override name = 'AddressError'
}

/**
 * The URL in `text`, when its syntax keeps the rules.
 * @throws {DomainError} VALIDATION_ERROR on `url` naming the rule that is broken.
 */
export const checkUrl = (text: string, rules: AddressRules): URL => {
  if (text.length > URL_MAX_CHARACTERS)
    throw invalid(
      'url',
      `has ${text.length} characters, and ${URL_MAX_CHARACTERS} is the most. Use a shorter URL.`,
    )
  if (/[\s\\\p{Cc}]/u.test(text))
    throw invalid('url', 'contains a space, a control character or a backslash. Percent-encode it.')
  if (!URL.canParse(text))
    throw invalid('url', 'is not a URL. Give an absolute one, such as https://example.com/hooks.')
  const url = new URL(text)
  if (!isPermittedScheme(url, rules))
    throw invalid(
      'url',
      rules.allowPrivate
        ? `has the scheme ${url.protocol}// and must have https:// or http://.`
        : `has the scheme ${url.protocol}// and must have https://. Serve the endpoint with TLS.`,
    )
  if (url.username !== '' || url.password !== '')
    throw invalid(
      'url',
      'contains credentials (user:password@). Take them out: the signature shows who sends.',
    )
  if (text.includes('#'))
    throw invalid('url', 'contains a fragment (#...), which is never sent. Take it out.')
  return url
}

/**
 * Whether a webhook may have the URL `text`: its syntax, and what it resolves to now. Sends nothing.
 * @throws {DomainError} VALIDATION_ERROR on `url` naming the rule that is broken.
 */
export const checkWebhookUrl = async (
  text: string,
  rules: AddressRules,
  lookup?: Lookup,
): Promise<void> => {
  const end = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new AddressError(`the name did not resolve within ${CHECK_S} s`))
    end.abort()
  }, CHECK_S * 1000)
  try {
    const url = checkUrl(text, rules)
    await Promise.race([resolveAddress(url, rules, end, lookup), late.promise])
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw invalid('url', `${error.message}. Use a URL that is reachable from the public internet.`)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The checked address to connect to for `url`: the first that the resolver gives, which sorts by what
 * this machine reaches best (RFC 6724). An IP in the URL is judged without asking the resolver. The signal is
 * to abort when nobody waits for the answer any more: until then a resolver that is away is asked again.
 * @throws {AddressError} "address 10.0.0.1 is not public", "the name does not resolve", ...
 */
export const resolveAddress = async (
  url: URL,
  rules: AddressRules,
  end: { readonly signal: AbortSignal },
  lookup = askNameServers,
): Promise<Address> => {
  if (!isPermittedScheme(url, rules)) throw new AddressError('only https is permitted')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host)
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await resolveName(host, lookup, end)
  const [first] = addresses
  if (first === undefined) throw new AddressError('the name does not resolve')
  const refused = rules.allowPrivate
    ? undefined
    : addresses.find(one => !isPublicAddress(one.address))
  if (refused !== undefined) throw new AddressError(`address ${refused.address} is not public`)
  return first
}

/** Whether `text` is an address of a host on the public internet. */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false
  const ip = ipaddr.parse(text)
  return ip instanceof ipaddr.IPv4
    ? ip.range() === 'unicast' && !ip.match(AZURE_METADATA)
    : ip.range() === 'unicast' && ip.match(GLOBAL_UNICAST)
}

/** All of IPv6 that IANA has opened; `::/96` (IPv4-compatible), for one, is outside it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** Azure's wire server has a public address; the other clouds' metadata addresses are private ones. */
const AZURE_METADATA = ipaddr.IPv4.parseCIDR('168.63.129.16/32')

const isPermittedScheme = (url: URL, rules: AddressRules) =>
  url.protocol === 'https:' || (rules.allowPrivate && url.protocol === 'http:')

const askNameServers = createLookup()

/** A resolver that is away says "try again"; it is asked again until the caller gives up. */
const resolveName = async (
  name: string,
  lookup: Lookup,
  end: { readonly signal: AbortSignal },
): Promise<Address[]> => {
  for (;;) {
    try {
      return await lookup(name)
    } catch (error) {
      if (!isTemporaryDnsError(error)) throw new AddressError('the name does not resolve')
      await sleep(LOOK_UP_AGAIN_MS, undefined, { signal: end.signal })
    }
  }
}

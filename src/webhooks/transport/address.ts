/**
 * Address check of webhook URLs (contract 4.3).
 *
 * Threat model: anyone with an API key chooses a URL that this process then POSTs to, and reads the response.
 * They control the text of the URL, the DNS of its host (which may return other addresses each time) and the
 * endpoint. They must not reach anything but public hosts: not loopback, not the internal network, not a cloud
 * metadata service, also not through an IPv6 transition prefix (IPv4-mapped, NAT64, 6to4, Teredo).
 *
 * - The URL is parsed once, by the parser whose result is connected to. Text that parsers read differently
 *   (spaces, control characters, backslashes, credentials) is refused.
 * - Addresses are checked, not names, and every address of a name must be public. Names are fully qualified, and the
 *   error does not say their addresses: those of internal names are not for tenants.
 * - The caller connects to the returned address without resolving again, follows no redirect, and checks again
 *   at every connection.
 * - IPv6 is an allow list (2000::/3, all that IANA has assigned as global unicast) minus special ranges; IPv4
 *   is everything minus special ranges.
 *
 * Not covered: a network that routes public addresses to internal hosts. That needs a rule at its egress.
 */
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { invalid } from '../../errors'
import { ADDRESSES_MAX, type Address, createLookup, isTemporaryDnsError, type Lookup } from './dns'
import { ThreadEnded } from './isolated-threads'

/** Maximum length of a webhook's URL. The schema checks it before anything parses the text. */
export const URL_MAX_CHARACTERS = 2048
/** Time-out of the check when a webhook is created or changed, in seconds. */
const CHECK_TIMEOUT_S = 5
/** Pause between lookups while the resolver is unavailable, in ms. */
const LOOKUP_RETRY_MS = 1_000

/** `allowPrivate` permits http and private addresses, for development (contract 4.3). */
export type AddressRules = { allowPrivate: boolean }

/** The URL has no address, or one that is not permitted. The message is the error text of an attempt. */
export class AddressError extends Error {
  override name = 'AddressError'
}

/**
 * Parses a webhook URL.
 * @throws {DomainError} VALIDATION_ERROR on `url` with the rule that it breaks.
 */
export const parseWebhookUrl = (text: string, rules: AddressRules): URL => {
  const problem = describeUrlProblem(text)
  if (problem !== undefined) throw invalid('url', problem)
  const url = new URL(text)
  if (!isPermittedScheme(url, rules))
    throw invalid(
      'url',
      rules.allowPrivate
        ? `must start with https:// or http://, not ${url.protocol}`
        : `must start with https://, not ${url.protocol}. Serve the endpoint with TLS.`,
    )
  return url
}

/** The rule that the text of a webhook URL breaks, whatever addresses are permitted; undefined where it breaks none. */
export const describeUrlProblem = (text: string): string | undefined => {
  if (/[\s\\\p{Cc}]/u.test(text))
    return 'must not contain spaces, control characters or backslashes. Percent-encode them.'
  if (!URL.canParse(text))
    return 'must be an absolute URL with a valid host and port, such as https://example.com/hooks'
  const { username, password, port } = new URL(text)
  if (username !== '' || password !== '')
    return 'must not contain credentials (user:password@). Receivers authenticate a delivery by its signature.'
  if (port === '0') return 'must not have the port 0, to which nothing can connect'
  if (text.includes('#')) return 'must not contain a fragment (#...), because it is never sent'
  return undefined
}

/**
 * Checks the syntax of a webhook URL and the addresses that its host resolves to now. Sends nothing.
 * @throws {DomainError} VALIDATION_ERROR on `url` with the rule that it breaks.
 */
export const checkWebhookUrl = async (
  text: string,
  rules: AddressRules,
  lookup?: Lookup,
): Promise<void> => {
  const deadline = new AbortController()
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    timeout.reject(new AddressError(`the name did not resolve within ${CHECK_TIMEOUT_S} s`))
    deadline.abort()
  }, CHECK_TIMEOUT_S * 1000)
  try {
    const url = parseWebhookUrl(text, rules)
    await Promise.race([resolveAddress(url, rules, deadline, lookup), timeout.promise])
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw invalid(
      'url',
      `${error.message}. Use a URL that is reachable from ${rules.allowPrivate ? 'where Arden runs' : 'the public internet'}.`,
    )
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The checked address to connect to: the first that the lookup returns. While
 * the resolver is unavailable the lookup is repeated, until `deadline` aborts.
 * @throws {AddressError} "address 10.0.0.1 is not public", "the name does not resolve", ...; {ThreadEnded}.
 */
export const resolveAddress = async (
  url: URL,
  rules: AddressRules,
  deadline: { readonly signal: AbortSignal },
  lookup = defaultLookup,
): Promise<Address> => {
  if (!isPermittedScheme(url, rules)) throw new AddressError('only https is permitted')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLiteral = isIP(host) > 0
  const addresses = isLiteral
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await resolveName(rules.allowPrivate ? host : fullyQualified(host), lookup, deadline)
  const [first] = addresses
  if (first === undefined) throw new AddressError('the name does not resolve')
  if (addresses.length > ADDRESSES_MAX)
    throw new AddressError(`the name has more than ${ADDRESSES_MAX} addresses`)
  const refused = rules.allowPrivate
    ? undefined
    : addresses.find(one => !isPublicAddress(one.address))
  if (refused === undefined) return first
  // The address of a name may be from a name server of the installation, and is not for its tenants.
  const what = isLiteral ? `address ${host} is` : 'the name has an address that is'
  throw new AddressError(`${what} not public`)
}

/** Otherwise the search list and the hosts file of this machine could make an internal name of it. */
const fullyQualified = (host: string) => (host.endsWith('.') ? host : `${host}.`)

/** Whether `text` is an IP address on the public internet. */
const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false
  const ip = ipaddr.parse(text)
  return ip instanceof ipaddr.IPv4
    ? ip.range() === 'unicast' && !ip.match(AZURE_METADATA)
    : ip.range() === 'unicast' && ip.match(GLOBAL_UNICAST)
}

/** All of IPv6 that IANA has assigned. `::/96` (IPv4-compatible), for example, is outside it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** The metadata service of Azure has a public address; those of other clouds are private. */
const AZURE_METADATA = ipaddr.IPv4.parseCIDR('168.63.129.16/32')

const isPermittedScheme = (url: URL, rules: AddressRules) =>
  url.protocol === 'https:' || (rules.allowPrivate && url.protocol === 'http:')

const defaultLookup = createLookup()

const resolveName = async (
  name: string,
  lookup: Lookup,
  deadline: { readonly signal: AbortSignal },
): Promise<Address[]> => {
  for (;;) {
    try {
      return await lookup(name)
    } catch (error) {
      if (error instanceof ThreadEnded) throw error
      if (!isTemporaryDnsError(error)) throw new AddressError('the name does not resolve')
      await sleep(LOOKUP_RETRY_MS, undefined, { signal: deadline.signal })
    }
  }
}

/**
 * DNS lookups of receivers. dns.lookup runs on a few threads: next to 100 names whose servers did not respond, another
 * lookup took 20 s. Bun.dns.lookup has no such queue, but it sorts the addresses on the event loop: 6,000 of one name
 * took 93 ms of CPU. Queries by type take 24 ms; the hosts file and the search list are left to their caller. Both are
 * for names without a final dot: one with it is fully qualified.
 */
import dns from 'node:dns'
import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

export type Address = { address: string; family: number }
/** Addresses of a name. Thousands fit into one DNS response, and checking 6,000 took 28 ms of CPU. */
export const ADDRESSES_MAX = 64
/** Resolves to every address of a name, or rejects. */
export type Lookup = (hostname: string) => Promise<Address[]>

/** How long the addresses of one family wait for those of the other, in ms, as in c-ares. */
const OTHER_FAMILY_MS = 2_000
/** How long the hosts file and the addresses of this machine are cached, in ms. */
const CACHE_MS = 5_000
/** localhost by RFC 6761, without the hosts file. */
const LOOPBACK: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

let changedServers: readonly string[] | undefined
/** Queries `servers` from now on, instead of those that the resolver read at the start. */
export const setNameServers = (servers: readonly string[]): void => {
  dns.setServers(servers)
  changedServers = servers
}
/** Those of the last `setNameServers`: dns.getServers() loses the zone of an IPv6 address, such as fe80::1%eth0. */
export const changedNameServers = () => changedServers

/**
 * The resolver reads its configuration `file` once, at the start of the process. The lookup reads it again when
 * no server responds: the machine may have had no network yet, or may have moved to another one.
 */
export const createLookup = (file = '/etc/resolv.conf', hostsFile = '/etc/hosts'): Lookup => {
  const read = () => readFile(file, 'utf8').catch(() => '')
  const readHosts = cached(async () => {
    const text = await readFile(hostsFile, 'utf8').catch(() => '')
    return new Set(text.replace(/#.*/g, '').toLowerCase().split(/\s+/))
  })
  let known: string | undefined
  const reload = async () => {
    const text = await read()
    if (text === known) return
    known = text
    const servers = [...text.matchAll(/^nameserver\s+(\S+)/gm)].flatMap(
      ([, server]) => server ?? [],
    )
    if (servers.length > 0) setNameServers(servers)
  }
  return async name => {
    known ??= await read()
    if (/(^|\.)localhost\.$/.test(name)) return LOOPBACK
    // It reads the hosts file before it queries a server, and knows localhost.
    if (/(^|\.)localhost$/.test(name) || (await readHosts()).has(name)) return Bun.dns.lookup(name)
    try {
      return await queryFirst(namesToQuery(name, known))
    } catch (error) {
      if (isTemporaryDnsError(error)) await reload()
      throw error
    }
  }
}

/** Whether no server could be reached or gave a result, by the codes of the system and of c-ares. */
export const isTemporaryDnsError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(EAI_AGAIN|(DNS_)?(ETIMEOUT|ESERVFAIL|EREFUSED|ECONNREFUSED))$/.test(String(error.code))

/** `name`, and what the search list makes of it: resolv.conf(5). Of a fully qualified one, only itself. */
const namesToQuery = (name: string, configuration: string): string[] => {
  if (name.endsWith('.')) return [name]
  const [, list = ''] = [...configuration.matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)].at(-1) ?? []
  const [, ndots = '1'] = /^options\b.*\bndots:(\d{1,2})/m.exec(configuration) ?? []
  const searched = list.split(/\s+/).flatMap(domain => (domain === '' ? [] : `${name}.${domain}`))
  const dots = name.split('.').length - 1
  return dots >= Number(ndots) ? [name, ...searched] : [...searched, name]
}

/** The addresses of the first of the names that has any. @throws the error of the last name, or a temporary one. */
const queryFirst = async ([name = '', ...others]: string[]): Promise<Address[]> => {
  try {
    return await query(name)
  } catch (error) {
    if (others.length === 0 || isTemporaryDnsError(error)) throw error
    return queryFirst(others)
  }
}

const query = async (name: string): Promise<Address[]> => {
  const families = [
    { family: 4, addresses: dns.promises.resolve4(name) },
    { family: 6, addresses: dns.promises.resolve6(name) },
  ]
  const errors: unknown[] = []
  const found: Address[] = []
  const each = families.map(({ family, addresses }) =>
    addresses.then(
      list => void found.push(...list.map(address => ({ address, family }))),
      error => void errors.push(error),
    ),
  )
  const both = Promise.all(each)
  await Promise.race(each)
  const waited = new AbortController()
  const options = { signal: waited.signal, ref: false }
  await (found.length === 0
    ? both
    : Promise.race([both, sleep(OTHER_FAMILY_MS, undefined, options)]))
  waited.abort()
  if (found.length === 0) throw errors.find(isTemporaryDnsError) ?? errors[0]
  const first = prefersIPv6() ? 6 : 4
  // A copy: addresses that are late would not be checked.
  return found.toSorted((a, b) => Number(b.family === first) - Number(a.family === first))
}

const cached = <T>(make: () => T): (() => T) => {
  let value: T
  let until = 0
  return () => {
    if (performance.now() >= until) {
      value = make()
      until = performance.now() + CACHE_MS
    }
    return value
  }
}

/** RFC 6724: with a global IPv6 address this machine reaches IPv6 addresses, and prefers them. */
const prefersIPv6 = cached(() =>
  Object.values(networkInterfaces()).some(addresses =>
    addresses?.some(({ address, internal }) => !internal && /^[23]\w{3}:/.test(address)),
  ),
)

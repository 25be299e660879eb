/**
 * DNS lookups of receivers. node:dns runs lookups on a few threads: next to 100 names whose servers did not
 * respond, another lookup took 20 s. Bun.dns has no such queue (1 ms).
 */
import dns from 'node:dns'
import { readFile } from 'node:fs/promises'

export type Address = { address: string; family: number }
/** Resolves to every address of a name, or rejects. */
export type Lookup = (hostname: string) => Promise<Address[]>

/**
 * The resolver reads its configuration `file` once, at the start of the process. The lookup reads it again when
 * no server responds: the machine may have had no network yet, or may have moved to another one.
 */
export const createLookup = (file = '/etc/resolv.conf'): Lookup => {
  const read = () => readFile(file, 'utf8').catch(() => '')
  let known: string | undefined
  const reload = async () => {
    const text = await read()
    if (text === known) return
    known = text
    const servers = [...text.matchAll(/^nameserver\s+(\S+)/gm)].flatMap(
      ([, server]) => server ?? [],
    )
    if (servers.length > 0) dns.setServers(servers)
  }
  return async name => {
    known ??= await read()
    try {
      return await Bun.dns.lookup(name)
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
  /^(EAI_AGAIN|DNS_(ETIMEOUT|ESERVFAIL|EREFUSED|ECONNREFUSED))$/.test(String(error.code))

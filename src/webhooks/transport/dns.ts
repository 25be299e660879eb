/**
 * Asks name servers for the addresses of receivers. Not with node:dns, whose look-ups take turns on a few
 * threads: beside 100 names whose servers are silent, another one took 20 s. This one waits for none (1 ms).
 */
import dns from 'node:dns'
import { readFile } from 'node:fs/promises'

export type Address = { address: string; family: number }
/** Answers every address of a name, or rejects. */
export type Lookup = (hostname: string) => Promise<Address[]>

/**
 * The resolver reads its configuration `file` once. Here it is read again when no server answers: a machine may
 * have had no network yet when this process started, or has moved to another.
 */
export const createLookup = (file = '/etc/resolv.conf'): Lookup => {
  const read = () => readFile(file, 'utf8').catch(() => '')
  let known: string | undefined
  const follow = async () => {
    const now = await read()
    if (now === known) return
    known = now
    const servers = [...now.matchAll(/^nameserver\s+(\S+)/gm)].flatMap(([, server]) => server ?? [])
    if (servers.length > 0) dns.setServers(servers)
  }
  return async name => {
    known ??= await read()
    try {
      return await Bun.dns.lookup(name)
    } catch (error) {
      if (isTemporaryDnsError(error)) await follow()
      throw error
    }
  }
}

/** Whether no server could be reached, or could tell: the system's word for it, and those of c-ares. */
export const isTemporaryDnsError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(EAI_AGAIN|DNS_(ETIMEOUT|ESERVFAIL|EREFUSED|ECONNREFUSED))$/.test(String(error.code))

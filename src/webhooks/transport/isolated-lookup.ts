import { ADDRESSES_MAX, type Address, createLookup, type Lookup } from './dns'
import type { createIsolatedReceivers } from './isolated-receivers'
import type { createIsolatedThreads } from './isolated-threads'

/** Lookups of an account on the event loop of all attempts at a time; one with 6,000 addresses takes 24 ms of CPU. */
const AT_ONCE = 20

/**
 * Lookups for each account. One with too many addresses isolates its name: the next ones are made in a thread of the
 * account, as are those beyond `AT_ONCE`. Concurrent ones of a name are one.
 */
export const createIsolatedLookup = (
  isolated: ReturnType<typeof createIsolatedReceivers>,
  threads: Pick<ReturnType<typeof createIsolatedThreads>, 'lookup'>,
  lookup = createLookup(),
): ((account: string) => Lookup) => {
  const running = new Map<string, Map<string, Promise<Address[]>>>()

  const start = async (account: string, name: string, count: number) => {
    const isElsewhere = count >= AT_ONCE || isolated.has(account, name)
    const addresses = await (isElsewhere ? threads.lookup(account, name) : lookup(name))
    if (addresses.length > ADDRESSES_MAX) isolated.add(account, name)
    return addresses
  }

  return account => async name => {
    const own = running.get(account) ?? new Map<string, Promise<Address[]>>()
    const known = own.get(name)
    if (known !== undefined) return known
    running.set(account, own)
    const started = start(account, name, own.size)
    own.set(name, started)
    try {
      return await started
    } finally {
      own.delete(name)
      if (own.size === 0) running.delete(account)
    }
  }
}

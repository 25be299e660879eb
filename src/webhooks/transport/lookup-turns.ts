import type { Lookup } from './dns'

/** Lookups of an account that count at a time. */
const AT_ONCE = 4
/** How long a lookup without a response counts, in ms: names whose servers never respond delay no other name by more. */
const COUNTED_MS = 100

/**
 * `lookup` for each account, few at a time. A response with thousands of addresses takes 24 ms of CPU, so that one of
 * another account would wait for all that an account can have at once; and more queries than fit into the buffer of a
 * name server are lost, those of other accounts too.
 */
export const createLookupTurns = (lookup: Lookup): ((account: string) => Lookup) => {
  const accounts = new Map<string, { counted: number; waiting: (() => void)[] }>()
  return account => async name => {
    const turns = accounts.get(account) ?? { counted: 0, waiting: [] }
    accounts.set(account, turns)
    if (turns.counted < AT_ONCE) turns.counted++
    else await new Promise<void>(begin => turns.waiting.push(begin))
    let isCounted = true
    const end = () => {
      if (!isCounted) return
      isCounted = false
      const begin = turns.waiting.shift()
      if (begin !== undefined) begin()
      else if (--turns.counted === 0) accounts.delete(account)
    }
    const silent = setTimeout(end, COUNTED_MS)
    try {
      return await lookup(name)
    } finally {
      clearTimeout(silent)
      end()
    }
  }
}

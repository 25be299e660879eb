/** How entries of different keys, such as their accounts, share calls. */
export type Turns<Entry> = {
  by: (entry: Entry) => string
  /** Most entries of one key in a call while entries of another key could be in it. */
  maxItems: number
  /** Most calls in flight with entries of one key. Fewer than all: then one call is always left for other keys. */
  maxCalls: number
}

/** The entries of a key that wait, oldest first, and the calls in flight with others of them. */
type Group<Entry> = { key: string; entries: Set<Entry>; calls: number }

/**
 * Entries that wait for a call. Each turn of a key takes its oldest entry, so a key with many entries delays those of
 * others by one turn each. An entry costs the same, however many wait and whatever the number of keys.
 */
export const createRoundRobin = <Entry>({ by, maxItems, maxCalls }: Turns<Entry>) => {
  const groups = new Map<string, Group<Entry>>()
  /** Groups from which the next call can take entries, the next in turn first. */
  const ready = new Set<Group<Entry>>()
  let size = 0

  const groupOf = (entry: Entry): Group<Entry> => {
    const key = by(entry)
    const group = groups.get(key) ?? { key, entries: new Set(), calls: 0 }
    groups.set(key, group)
    return group
  }

  const dropUnused = ({ key, entries, calls }: Group<Entry>) => {
    if (entries.size === 0 && calls === 0) groups.delete(key)
  }

  const startCall = (group: Group<Entry>) => {
    group.calls++
    if (group.calls !== maxCalls) return
    size -= group.entries.size
    ready.delete(group)
  }
  const endCall = (group: Group<Entry>) => {
    if (group.calls === maxCalls) {
      size += group.entries.size
      if (group.entries.size > 0) ready.add(group)
    }
    group.calls--
    dropUnused(group)
  }

  return {
    /** Entries that can be taken now: all but those of keys that have `maxCalls` in flight. */
    size: () => size,
    add: (entry: Entry): void => {
      const group = groupOf(entry)
      group.entries.add(entry)
      if (group.calls >= maxCalls) return
      size++
      ready.add(group)
    },
    /** Returns whether the entry waited. */
    remove: (entry: Entry): boolean => {
      const group = groups.get(by(entry))
      if (!group?.entries.delete(entry)) return false
      if (group.calls < maxCalls) size--
      if (group.entries.size === 0) ready.delete(group)
      dropUnused(group)
      return true
    },
    /**
     * Removes up to `most` entries for a call, only those that `fits` accepts, and returns them with the function that
     * ends the call.
     */
    take: (
      most: number,
      fits: (entry: Entry) => boolean,
    ): { entries: Entry[]; endCall: () => void } => {
      const entries: Entry[] = []
      const share = ready.size > 1 ? maxItems : most
      const turns = new Map<Group<Entry>, { rest: Iterator<Entry>; taken: number }>()
      for (const group of ready) {
        if (entries.length >= most) break
        const turn = turns.get(group) ?? { rest: group.entries.values(), taken: 0 }
        const entry = turn.taken < share ? firstOf(turn.rest, fits) : undefined
        if (entry === undefined) continue
        // To the end: the order of the last turns is that of the next ones.
        turns.delete(group)
        turns.set(group, turn)
        turn.taken++
        entries.push(entry)
        group.entries.delete(entry)
        size--
        // To the end as well, where this loop visits it again.
        ready.delete(group)
        if (group.entries.size > 0) ready.add(group)
      }
      const used = [...turns.keys()]
      used.forEach(startCall)
      return { entries, endCall: () => used.forEach(endCall) }
    },
  }
}

const firstOf = <T>(items: Iterator<T>, fits: (item: T) => boolean): T | undefined => {
  for (;;) {
    const next = items.next()
    if (next.done) return undefined
    if (fits(next.value)) return next.value
  }
}

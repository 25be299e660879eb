/** One value for each key: made when it is first used, and dropped when no work uses it any more. */
export const perKey = <T>(make: (key: string) => T) => {
  const entries = new Map<string, { value: T; users: number }>()
  const retire = (key: string, value: T) => {
    // Another value may have been made since.
    if (entries.get(key)?.value === value) entries.delete(key)
  }
  return {
    has: (key: string) => entries.has(key),
    /** Work that uses `value` keeps it; the next `use` creates another one. */
    retire,
    use: async <R>(key: string, work: (value: T) => Promise<R>): Promise<R> => {
      const entry = entries.get(key) ?? { value: make(key), users: 0 }
      entries.set(key, entry)
      entry.users++
      try {
        return await work(entry.value)
      } finally {
        entry.users--
        if (entry.users === 0) retire(key, entry.value)
      }
    },
  }
}

/** One value for each key, made when it is first used and forgotten when nobody uses it any more. */
export const createShared = <T>(make: (key: string) => T) => {
  const entries = new Map<string, { value: T; users: number }>()
  const forget = (key: string, value: T) => {
    // Another may have been made since.
    if (entries.get(key)?.value === value) entries.delete(key)
  }
  return {
    has: (key: string) => entries.has(key),
    /** Who uses `value` goes on with it; the next one makes another. */
    forget,
    use: async <R>(key: string, work: (value: T) => Promise<R>): Promise<R> => {
      const entry = entries.get(key) ?? { value: make(key), users: 0 }
      entries.set(key, entry)
      entry.users++
      try {
        return await work(entry.value)
      } finally {
        entry.users--
        if (entry.users === 0) forget(key, entry.value)
      }
    },
  }
}

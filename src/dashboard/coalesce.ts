/**
 * Coalesces concurrent calls by key: callers with the same key share one run of `load`. With a `factor`, the
 * result is also cached for that many times as long as it took to load: with 10, a result that took 2 s is
 * reused for 20 s. Failures are not cached.
 */
export const createCoalesce = <T>(factor = 0) => {
  const running = new Map<string, Promise<T>>()
  return (key: string, load: () => Promise<T>): Promise<T> => {
    const existing = running.get(key)
    if (existing !== undefined) return existing
    const startedAt = performance.now()
    const remove = () => running.delete(key)
    const result = load()
    running.set(key, result)
    result.then(() => setTimeout(remove, (performance.now() - startedAt) * factor).unref(), remove)
    return result
  }
}

/** An answer is shared for this many times as long as it took to make: so little of a time goes into it. */
const FACTOR = 10

/**
 * Makes what takes long once for all who ask for it at a time, by key. What took 2 s is made again 20 s
 * later at the soonest; what failed, at once.
 */
export const createShare = <T>() => {
  const made = new Map<string, Promise<T>>()
  return (key: string, make: () => Promise<T>): Promise<T> => {
    const known = made.get(key)
    if (known !== undefined) return known
    const begun = performance.now()
    const forget = () => made.delete(key)
    const making = make()
    made.set(key, making)
    making.then(() => setTimeout(forget, (performance.now() - begun) * FACTOR).unref(), forget)
    return making
  }
}

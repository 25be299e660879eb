/**
 * Makes what takes long once for all who ask for it at a time, by key. With a `factor` an answer is also
 * kept for so many times as long as it took: with 10, what took 2 s is made again 20 s later at the soonest.
 * What failed is made again at once.
 */
export const createShare = <T>(factor = 0) => {
  const made = new Map<string, Promise<T>>()
  return (key: string, make: () => Promise<T>): Promise<T> => {
    const known = made.get(key)
    if (known !== undefined) return known
    const begun = performance.now()
    const forget = () => made.delete(key)
    const making = make()
    made.set(key, making)
    making.then(() => setTimeout(forget, (performance.now() - begun) * factor).unref(), forget)
    return making
  }
}

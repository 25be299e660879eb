/** Interval of the requests, and the longest wait for a response, in ms. */
const [LOOK_MS, RESPONSE_MS] = [100, 1_000]

/** Requests `/healthz` of `url` again and again. `end` returns the longest time without a response, in seconds. */
export const watchOutage = (url: string): { end: () => Promise<number> } => {
  let longest = 0
  let isOver = false
  const watch = async () => {
    let respondedAt = performance.now()
    while (!isOver) {
      const signal = AbortSignal.timeout(RESPONSE_MS)
      const responds = await fetch(`${url}/healthz`, { signal }).then(
        response => response.ok,
        () => false,
      )
      const now = performance.now()
      longest = Math.max(longest, now - respondedAt)
      if (responds) respondedAt = now
      await Bun.sleep(LOOK_MS)
    }
  }
  const watching = watch()
  return {
    end: async () => {
      isOver = true
      await watching
      return longest / 1000
    },
  }
}

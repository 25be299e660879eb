/** Waiting that can be cut short: by a ring, which is not lost when nobody waits yet, or by the end. */
export const createBell = (end: AbortSignal) => {
  let rung = false
  let answer = () => {}
  const wait = (ms: number, isOver: () => boolean): Promise<void> =>
    new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, ms)
      answer = () => isOver() && done()
      answer()
    })
  end.addEventListener('abort', () => answer(), { once: true })
  return {
    ring: () => {
      rung = true
      answer()
    },
    /** Until it rings, has rung since the last wait, or `ms` are over. */
    wait: async (ms: number): Promise<void> => {
      await wait(ms, () => rung || end.aborted)
      rung = false
    },
    /** `ms`, whoever rings. */
    sleep: (ms: number): Promise<void> =>
      ms > 0 ? wait(ms, () => end.aborted) : Promise.resolve(),
  }
}

type WakeSignal = {
  /** Ends the current wait, or the next one if nothing is waiting now. */
  notify: () => void
  /** Resolves after `notify`, at once if it was called since the last wait, and after `ms` at the latest. */
  wait: (ms: number) => Promise<void>
  /** Resolves after `ms`, whether `notify` is called or not. */
  sleep: (ms: number) => Promise<void>
}

/** A wait that can be cut short. `stop` ends the current wait and every later one. */
export const createWakeSignal = (stop: AbortSignal): WakeSignal => {
  let notified = false
  let check = () => {}
  const waitUntil = (isOver: () => boolean, ms: number): Promise<void> =>
    new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, ms)
      check = () => isOver() && done()
      check()
    })
  stop.addEventListener('abort', () => check(), { once: true })
  return {
    notify: () => {
      notified = true
      check()
    },
    wait: async ms => {
      await waitUntil(() => notified || stop.aborted, ms)
      notified = false
    },
    sleep: ms => (ms > 0 ? waitUntil(() => stop.aborted, ms) : Promise.resolve()),
  }
}

const waiting: (() => void)[] = []

/**
 * Resolves in a turn of the event loop of which no other caller in this process has a part: for work that takes 5 to
 * 200 ms of CPU. Without it 32 checks or exports at a time each had such a part in every turn, so that requests of other
 * accounts waited for seconds.
 */
export const nextTurn = (): Promise<void> =>
  new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(startNext)
  })

const startNext = () => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(startNext)
}

const waiting: (() => void)[] = []

/**
 * Resolves in a turn of the event loop that no other check of this process has. Without it 32 checks at a time each had
 * a part of 40 ms in every turn, so that requests of other accounts waited for seconds.
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

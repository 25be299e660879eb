/** Shows what goes on while somebody waits: call it as often as there is news, and `end` it. */
export type ProgressLine = { (text: string): void; end(): void }

/** How often a long step says that it still goes on, where lines cannot be rewritten. */
const REPEAT_MS = 15_000

/** One line that keeps changing on a terminal; elsewhere a line for each new step and a sign of life. */
export const createProgressLine = (stream: NodeJS.WriteStream = process.stderr): ProgressLine => {
  let shownStep = ''
  let shownAt = 0
  const show = (text: string) => {
    if (stream.isTTY) {
      stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`)
      return
    }
    // Two texts that differ in their numbers only are the same step.
    const step = text.replaceAll(/\d+/g, '')
    if (step === shownStep && Date.now() - shownAt < REPEAT_MS) return
    stream.write(`${text}\n`)
    shownStep = step
    shownAt = Date.now()
  }
  const end = () => {
    if (stream.isTTY) stream.write('\r\x1b[K')
  }
  return Object.assign(show, { end })
}

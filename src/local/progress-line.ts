/** Shows progress to a user. Call it at every change, and `end` it. */
type ProgressLine = { (text: string): void; end(): void }

/** Interval of repeated lines during a long step, in ms, where lines cannot be overwritten. */
const REPEAT_MS = 15_000

/**
 * One line that is overwritten on a terminal; otherwise one line per step, repeated while it runs.
 */
export const createProgressLine = (stream: NodeJS.WriteStream = process.stderr): ProgressLine => {
  let shownStep = ''
  let shownAt = 0
  const show = (text: string) => {
    if (stream.isTTY) {
      stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`)
      return
    }
    // Texts that differ only in numbers are the same step.
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

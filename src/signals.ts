/**
 * `bun run` passes a signal on that the terminal has already sent to the whole process group, so one
 * Ctrl-C arrives twice, milliseconds apart. What comes later than this is a person's second one, in ms.
 */
const SAME_SIGNAL_MS = 500

/**
 * Waits for SIGINT, SIGTERM or SIGHUP (a closed terminal), then stops what runs and ends the process. A
 * second signal ends it at once: whoever presses Ctrl-C twice does not want to wait.
 */
export const waitForStopSignal = async (stop: () => Promise<void>): Promise<never> => {
  await new Promise<void>(resolve => {
    let first: number | undefined
    const onSignal = () => {
      first ??= performance.now()
      if (performance.now() - first > SAME_SIGNAL_MS) process.exit(130)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  })
  await stop()
  process.exit(0)
}

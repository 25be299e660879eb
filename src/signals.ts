/**
 * `bun run` forwards a signal that the terminal has already sent to the process group, so one Ctrl-C arrives
 * twice within milliseconds. A signal after this time, in ms, is a second Ctrl-C.
 */
const SAME_SIGNAL_MS = 500

/**
 * Waits for SIGINT, SIGTERM or SIGHUP, then calls `stop` and exits. A second signal exits at once.
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

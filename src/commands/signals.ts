/**
 * Waits for SIGINT or SIGTERM, then stops what runs and ends the process. A second signal ends it at
 * once: whoever presses Ctrl-C twice does not want to wait.
 */
export const untilStopped = async (stop: () => Promise<void>): Promise<never> => {
  await new Promise<void>(resolve => {
    let asked = false
    const onSignal = () => {
      if (asked) process.exit(130)
      asked = true
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
  await stop()
  process.exit(0)
}

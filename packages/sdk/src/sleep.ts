/** Waits `ms`. @throws the reason of `signal` as soon as it aborts. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    if (signal.aborted) aborted()
    else signal.addEventListener('abort', aborted, { once: true })
  })

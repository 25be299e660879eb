/**
 * What ends requests that have no answer yet: their time is over, or their caller wants no more of them. One
 * timer serves all, and one listener all those of a caller: an AbortController, a timer and listeners for each
 * request were a tenth of what a delivery takes in the lane for volume.
 */

/** The end of one request. It is told once, to whoever asked last. */
export type Deadline = {
  /** Whether it has come; what waits for nothing can ask now and then. */
  hasPassed: () => boolean
  /** Calls `ended` with the reason when the end comes, or now if it has. Nobody is told after `undefined`. */
  onTimeout: (ended: ((reason: unknown) => void) | undefined) => void
  /** The same as a signal, which is made when it is asked for. */
  readonly signal: AbortSignal
  /** The request is over: there is nothing left to end. */
  dispose: () => void
}

type UnderWay = { until: number; end: (reason: unknown) => void }

/**
 * Makes the end of a request that begins now: `timeoutMs` later, with an error that says so, or as soon as
 * `caller` aborts, with its reason.
 */
export const createDeadlines = (timeoutMs: number): ((caller: AbortSignal) => Deadline) => {
  // In the order in which their time ends, for all have the same.
  const underWay = new Set<UnderWay>()
  const byCaller = new WeakMap<AbortSignal, Set<UnderWay>>()
  let timer: NodeJS.Timeout | undefined

  const watch = (ms: number) => {
    timer = setTimeout(endLate, ms)
    // The requests keep the process, not this.
    timer.unref()
  }
  const endLate = () => {
    timer = undefined
    const now = performance.now()
    for (const one of underWay) {
      if (one.until > now) return watch(one.until - now)
      one.end(new Error(`timed out after ${timeoutMs / 1000} s`))
    }
  }
  const requestsOf = (caller: AbortSignal): Set<UnderWay> => {
    const known = byCaller.get(caller)
    if (known !== undefined) return known
    const requests = new Set<UnderWay>()
    const endAll = () => {
      for (const one of requests) one.end(caller.reason)
    }
    caller.addEventListener('abort', endAll, { once: true })
    byCaller.set(caller, requests)
    return requests
  }

  return caller => {
    const siblings = requestsOf(caller)
    let ended: { reason: unknown } | undefined
    let told: ((reason: unknown) => void) | undefined
    let controller: AbortController | undefined
    const dispose = () => {
      underWay.delete(request)
      siblings.delete(request)
    }
    const request: UnderWay = {
      until: performance.now() + timeoutMs,
      end: reason => {
        dispose()
        ended = { reason }
        controller?.abort(reason)
        told?.(reason)
      },
    }
    underWay.add(request)
    siblings.add(request)
    if (timer === undefined) watch(timeoutMs)
    return {
      hasPassed: () => ended !== undefined,
      onTimeout: next => {
        told = next
        if (ended !== undefined) next?.(ended.reason)
      },
      get signal() {
        controller ??= new AbortController()
        if (ended !== undefined) controller.abort(ended.reason)
        return controller.signal
      },
      dispose,
    }
  }
}

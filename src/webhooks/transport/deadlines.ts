/**
 * Deadlines of requests. One timer serves all of them, and one listener all requests of a caller: an
 * AbortController, a timer and listeners per request were a tenth of the cost of a delivery without a workflow.
 */

/** The deadline of one request: its time-out, or the abort of its caller, whichever is first. */
export type Deadline = {
  hasPassed: () => boolean
  /**
   * Calls `listener` with the reason when the deadline passes, or now if it has passed. Replaces the listener
   * before it; `undefined` removes it.
   */
  onTimeout: (listener: ((reason: unknown) => void) | undefined) => void
  /** The same as a signal, created on first use. */
  readonly signal: AbortSignal
  /** The request is complete: the deadline no longer passes. */
  dispose: () => void
}

type PendingRequest = { until: number; end: (reason: unknown) => void }

/**
 * Returns a function that starts a deadline: it passes after `timeoutMs` with an error that says so, or as soon
 * as `caller` aborts, with the reason of the abort.
 */
export const createDeadlines = (timeoutMs: number): ((caller: AbortSignal) => Deadline) => {
  // In the order in which they time out, because all have the same time.
  const pending = new Set<PendingRequest>()
  const byCaller = new WeakMap<AbortSignal, Set<PendingRequest>>()
  let timer: NodeJS.Timeout | undefined

  const startTimer = (ms: number) => {
    timer = setTimeout(endOverdue, ms)
    // A request keeps the process alive by its socket.
    timer.unref()
  }
  const endOverdue = () => {
    timer = undefined
    const now = performance.now()
    for (const request of pending) {
      if (request.until > now) return startTimer(request.until - now)
      request.end(new Error(`timed out after ${timeoutMs / 1000} s`))
    }
  }
  const requestsOf = (caller: AbortSignal): Set<PendingRequest> => {
    const known = byCaller.get(caller)
    if (known !== undefined) return known
    const requests = new Set<PendingRequest>()
    const endAll = () => {
      for (const request of requests) request.end(caller.reason)
    }
    caller.addEventListener('abort', endAll, { once: true })
    byCaller.set(caller, requests)
    return requests
  }

  return caller => {
    const siblings = requestsOf(caller)
    let passed: { reason: unknown } | undefined
    let listener: ((reason: unknown) => void) | undefined
    let controller: AbortController | undefined
    const dispose = () => {
      pending.delete(request)
      siblings.delete(request)
    }
    const request: PendingRequest = {
      until: performance.now() + timeoutMs,
      end: reason => {
        dispose()
        passed = { reason }
        controller?.abort(reason)
        listener?.(reason)
      },
    }
    pending.add(request)
    siblings.add(request)
    if (timer === undefined) startTimer(timeoutMs)
    return {
      hasPassed: () => passed !== undefined,
      onTimeout: next => {
        listener = next
        if (passed !== undefined) next?.(passed.reason)
      },
      get signal() {
        controller ??= new AbortController()
        if (passed !== undefined) controller.abort(passed.reason)
        return controller.signal
      },
      dispose,
    }
  }
}

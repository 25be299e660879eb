/** Server-sent events (the WHATWG's HTML standard, "Server-sent events"), as an answer. */

/**
 * A reader that takes nothing of what is written is cut off after so long, in ms. Nothing is kept for it
 * meanwhile: what comes next is asked for when what came before has gone out.
 */
const STALL_MS = 30_000

type EventStreamSource = {
  /** Written at once: what is in between sends the head of the answer on at its first byte. */
  opening: string
  /** What is written next, piece by piece, until it answers undefined or fails. */
  next: () => Promise<string | undefined>
  /** Called when it is over, with the error of `next` if that is why. */
  onEnd: (failure?: unknown) => void
}

/** The answer to a request for events. A client whose stream ends comes again by itself. */
export const toEventStream = (
  { opening, next, onEnd }: EventStreamSource,
  stallMs = STALL_MS,
): Response => {
  const encoder = new TextEncoder()
  let stalled: Timer | undefined
  const end = (failure?: unknown) => {
    clearTimeout(stalled)
    onEnd(failure)
  }
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(encoder.encode(opening)),
    pull: async controller => {
      clearTimeout(stalled)
      let failure: unknown
      const text = await next().catch(error => {
        failure = error
      })
      if (text === undefined) {
        end(failure)
        try {
          controller.close()
        } catch {
          // The reader has gone.
        }
        return
      }
      controller.enqueue(encoder.encode(text))
      stalled = setTimeout(() => {
        end()
        // The connection is closed with it, or, while that is full, as one that is idle (http/server.ts).
        controller.close()
      }, stallMs)
    },
    cancel: () => end(),
  })
  return new Response(body, { headers: HEADERS })
}

/** The answer to HEAD: what GET would begin with. */
export const toEventStreamHead = (): Response => new Response(null, { headers: HEADERS })

/** `x-accel-buffering`: nginx else keeps events back. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

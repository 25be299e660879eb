/** Responses of server-sent events (WHATWG HTML, "Server-sent events"). */

/**
 * A client that reads nothing for this long is disconnected, in ms. Nothing is buffered for it: `next` is
 * called after the previous text was sent.
 */
const STALL_MS = 30_000

type EventStreamSource = {
  /** Sent at once, because Bun sends the headers with the first byte. */
  opening: string
  /** The next text to send. Undefined or a rejection ends the stream. */
  next: () => Promise<string | undefined>
  /** Called once at the end, with the error of `next` if it failed. */
  onEnd: (failure?: unknown) => void
}

/** A response of server-sent events. Clients reconnect by themselves when it ends. */
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
          // The client has disconnected.
        }
        return
      }
      controller.enqueue(encoder.encode(text))
      stalled = setTimeout(() => {
        end()
        // This closes the connection. While the socket is full, the idle timeout does (http/server.ts).
        controller.close()
      }, stallMs)
    },
    cancel: () => end(),
  })
  return new Response(body, { headers: HEADERS })
}

/** The response to HEAD: the headers of the GET. */
export const toEventStreamHead = (): Response => new Response(null, { headers: HEADERS })

/** `x-accel-buffering`: without it nginx buffers events. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

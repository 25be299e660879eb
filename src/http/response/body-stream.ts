type BodyStream = {
  /**
   * The next part of the body; undefined at its end. A rejection resets the connection, so that the client does not
   * take a part for all. It keeps no earlier part: a process can have thousands of streams.
   */
  next: () => Promise<Uint8Array | string | undefined>
  headers: Record<string, string>
  /** Counts bytes that the client has not read yet; the function that it returns ends that. */
  onSend: (bytes: number) => () => void
  /** Called at the end, at a failure, and when the client is gone. */
  onEnd?: () => void
}

/** A response that is as large as its data. A part is made when the client has read the one before it. */
export const toBodyStream = ({ next, headers, onSend, onEnd = () => {} }: BodyStream): Response => {
  const encoder = new TextEncoder()
  let onRead = () => {}
  const end = () => {
    onRead()
    onEnd()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        onRead()
        try {
          const part = await next()
          if (part === undefined) {
            end()
            return controller.close()
          }
          const bytes = typeof part === 'string' ? encoder.encode(part) : part
          onRead = onSend(bytes.byteLength)
          controller.enqueue(bytes)
        } catch (error) {
          end()
          throw error
        }
      },
      cancel: end,
    },
    // Nothing is made for a client that is gone.
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

type TextStream = {
  /**
   * The next part of the body; undefined at its end. A rejection resets the connection, so that the client does not
   * take a part for all. It keeps no earlier part: a process can have thousands of streams.
   */
  next: () => Promise<string | undefined>
  headers: Record<string, string>
  /** Counts bytes that the client has not read yet; the function that it returns ends that. */
  onSend: (bytes: number) => () => void
}

/** A response that is as large as its data. A part is made when the client has read the one before it. */
export const toTextStream = ({ next, headers, onSend }: TextStream): Response => {
  const encoder = new TextEncoder()
  let onRead = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        onRead()
        const text = await next()
        if (text === undefined) return controller.close()
        const bytes = encoder.encode(text)
        onRead = onSend(bytes.byteLength)
        controller.enqueue(bytes)
      },
      cancel: () => onRead(),
    },
    // Nothing is made for a client that is gone.
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}

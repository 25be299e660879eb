/** Bytes of a response with an error that are read: such a body can be without an end. */
const ERROR_MAX = 65_536

/**
 * `fetch` for the libraries of the providers. `onBytes` is called with each part of a body, those that the libraries
 * leave out too: servers send comments and pings while a model thinks.
 */
export const createProviderFetch =
  (onBytes: () => void) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    // A followed redirect would send the key to another server.
    const response = await fetch(input, { ...init, redirect: 'manual' })
    const { ok, body, status, statusText, headers } = response
    if (body === null) return response
    const read = body.pipeThrough(createReader(ok ? Number.POSITIVE_INFINITY : ERROR_MAX, onBytes))
    return new Response(read, { status, statusText, headers })
  }

const createReader = (bytes: number, onBytes: () => void) => {
  let left = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      onBytes()
      controller.enqueue(left < chunk.length ? chunk.subarray(0, left) : chunk)
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}

/** Bytes of a response with an error that are read: such a body can be without an end. */
const ERROR_MAX = 65_536

/** `fetch` for the libraries of the providers. */
export const fetchFromProvider = async (
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> => {
  // A followed redirect would send the key to another server.
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (response.ok || response.body === null) return response
  const { status, statusText, headers } = response
  const body = response.body.pipeThrough(createBeginning(ERROR_MAX))
  return new Response(body, { status, statusText, headers })
}

const createBeginning = (bytes: number) => {
  let left = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}

import { checkResponse } from './http/documented-responses'

/** A response of the API, as curl would see it. The client checks each against the OpenAPI document. */
export type ApiResponse = {
  status: number
  headers: Headers
  // Tests read any member of a response; a missing one fails their expectation.
  // biome-ignore lint/suspicious/noExplicitAny: a boundary
  body: any
}

export type Client = {
  get: (path: string, headers?: Record<string, string>) => Promise<ApiResponse>
  post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>
  patch: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>
  delete: (path: string, headers?: Record<string, string>) => Promise<ApiResponse>
}

export const client = (url: string, key: string): Client => {
  const call =
    (method: string) =>
    async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const target = `${url}/api/public/v1${path}`
      const hasBody = body !== undefined
      const response = await send(target, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(hasBody && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(hasBody && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      await checkResponse(target, method, response)
      return response
    }
  return {
    get: (path, headers) => call('GET')(path, undefined, headers),
    post: call('POST'),
    patch: call('PATCH'),
    delete: (path, headers) => call('DELETE')(path, undefined, headers),
  }
}

/** Any request, with its response read in full. */
export const send = async (url: string, init: RequestInit = {}): Promise<ApiResponse> => {
  const response = await fetch(url, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}

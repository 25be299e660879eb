import { createFinalURL, defaultPathSerializer } from 'openapi-fetch'
import { ArdenError, noResponseError, timeoutError, toArdenError } from './errors.js'
import { BASE_PATH } from './generated.js'
import { assertPath } from './path.js'
import { serializeQuery } from './query.js'

type Server = { url: string; apiKey: string; timeoutMs: number }
type Input = {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  signal?: AbortSignal
}

/**
 * The response to a GET of a file, before its body.
 * @throws {ArdenError} for every other response and without one. @throws the reason of `signal`.
 */
export const downloadFile = async (
  { url, apiKey, timeoutMs }: Server,
  path: string,
  { path: inPath = {}, query = {}, signal }: Input = {},
): Promise<Response> => {
  assertPath(path, inPath)
  const target = createFinalURL(path, {
    baseUrl: url + BASE_PATH,
    params: { path: inPath, query },
    querySerializer: serializeQuery,
    pathSerializer: defaultPathSerializer,
  })
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  try {
    const response = await fetch(target, {
      headers: { authorization: `Bearer ${apiKey}` },
      redirect: 'manual',
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    })
    // A server or a proxy that is not Arden has pages, but no files.
    if (response.ok && response.headers.has('content-disposition')) return response
    throw toArdenError(response, await response.json().catch(() => undefined))
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof ArdenError) throw cause
    throw timeout.signal.aborted ? timeoutError(url, timeoutMs, cause) : noResponseError(url, cause)
  } finally {
    clearTimeout(timer)
  }
}

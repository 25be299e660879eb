import type { Mode } from '../../../caller'
import type { Detail } from '../../../errors'

/** A refused or failed request: its message is for the person who made it. */
export class ApiError extends Error {
  override name = 'ApiError'
  constructor(
    /** 0 when no answer came. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    /** What was wrong, by the name of the member. */
    readonly details: Detail[],
  ) {
    super(message)
  }
}

export type Options = {
  mode?: Mode | undefined
  body?: unknown
  signal?: AbortSignal | undefined
  /** The same text for the same wish, so that a second try does not do it twice. */
  once?: string | undefined
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * A request to the dashboard's own server: `/v1/...` are the public API's routes.
 * @throws {ApiError}
 */
export const call = async <T>(method: Method, path: string, options: Options = {}): Promise<T> => {
  const { mode, body, signal, once } = options
  const response = await ask(path, signal, {
    method,
    headers: {
      ...(mode && { 'X-Arden-Mode': mode }),
      ...(once && { 'Idempotency-Key': once }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer as T
  throw refused(response, answer)
}

/** A file of the dashboard's own server. @throws {ApiError} */
export const callFile = async (path: string): Promise<Blob> => {
  const response = await ask(path, undefined, {})
  if (!response.ok) throw refused(response, await response.json().catch(() => undefined))
  return response.blob().catch(noAnswer)
}

const ask = (path: string, signal: AbortSignal | undefined, init: RequestInit) =>
  fetch(`/dashboard/api${path}`, { ...init, ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    return noAnswer()
  })

const noAnswer = (): never => {
  throw new ApiError(
    0,
    'NO_ANSWER',
    'No answer came. Check your connection and that Arden runs, then try again.',
    null,
    [],
  )
}

type Refusal = { error?: string; message?: string; details?: Detail[] }

const refused = (response: Response, answer: Refusal | undefined) =>
  new ApiError(
    response.status,
    answer?.error ?? 'UNREADABLE',
    answer?.message ??
      `The answer could not be read (status ${response.status}). Something between here and Arden may have answered instead. Try again.`,
    response.headers.get('x-request-id'),
    answer?.details ?? [],
  )

/** `?a=1&b=2`, without what is undefined or empty. */
export const query = (members: Record<string, string | number | undefined>): string => {
  const set = Object.entries(members).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

import { parse } from 'content-disposition'
import type { Mode } from '../../../caller'
import { CHECK_ID, CHECK_ID_AND_MODE, type Detail } from '../../../errors'
import { checkConnection, isSuspect } from './connection'

/** A request that was refused or failed. The message is shown to the user. */
export class ApiError extends Error {
  override name = 'ApiError'
  constructor(
    /** The HTTP status; 0 without a response. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    /** The error of each wrong member of the body. */
    readonly details: Detail[],
    /** When to send a request that was refused with 429 again, in ms from then. */
    readonly retryAfterMs?: number,
  ) {
    super(message)
  }
}

/** Whether the server has no such record. Not any 404: a proxy can have one of its own. */
export const isNotFound = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === 'NOT_FOUND'

export type Options = {
  mode?: Mode | undefined
  body?: unknown
  signal?: AbortSignal | undefined
  /** The same for each retry of a change, so that it happens once. */
  idempotencyKey?: string | undefined
  /** The version of the record that is changed (contract 1.11). */
  ifMatch?: string | undefined
  /** The text that an article had stays a version of its own. */
  startsVersion?: boolean | undefined
}

/** For a change, in ms: longer than the server takes for one. A frozen server sends nothing, not even an error. */
const CHANGE_TIMEOUT_MS = 60_000
/** After this time without a response, in ms, the page checks whether the server responds at all. */
const SLOW_MS = 8_000

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * A request to the server of the dashboard; `/v1/...` are the routes of the public API. The ETag of a record is added to
 * its response, as `etag`.
 * @throws {ApiError}
 */
export const call = async <T>(method: Method, path: string, options: Options = {}): Promise<T> => {
  const { mode, body, signal, idempotencyKey, ifMatch, startsVersion } = options
  const isChange = method !== 'GET'
  const limit = isChange ? AbortSignal.timeout(CHANGE_TIMEOUT_MS) : signal
  const response = await send(path, limit, {
    method,
    headers: {
      ...(mode && { 'X-Arden-Mode': mode }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      ...(ifMatch && { 'If-Match': ifMatch }),
      ...(startsVersion && { 'X-Arden-New-Version': '1' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const data = await response.json().catch(() => undefined)
  const etag = response.headers.get('etag')
  if (response.ok && data !== undefined) return (etag === null ? data : { ...data, etag }) as T
  throw toApiError(response, withoutApiWords(method, response.status, data))
}

/** Downloads a file from the server of the dashboard, with the name that it has there. @throws {ApiError} */
export const callFile = async (path: string, mode?: Mode): Promise<File> => {
  const response = await send(path, undefined, {
    headers: { ...(mode && { 'X-Arden-Mode': mode }) },
  })
  if (!response.ok) throw toApiError(response, await response.json().catch(() => undefined))
  const content = await response.blob().catch(() => {
    throw new ApiError(
      0,
      'CUT_OFF',
      'The download was interrupted, and nothing was saved. Select less, and try again.',
      response.headers.get('x-request-id'),
      [],
    )
  })
  const { filename = 'download' } = parse(
    response.headers.get('content-disposition') ?? 'attachment',
  ).parameters
  return new File([content], filename, { type: content.type })
}

const send = async (path: string, signal: AbortSignal | undefined, init: RequestInit) => {
  const slow = setTimeout(checkConnection, SLOW_MS)
  try {
    const response = await fetch(`/dashboard/api${path}`, { ...init, ...(signal && { signal }) })
    if (isSuspect(response)) void checkConnection()
    return response
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    if (signal?.aborted && !isTimeout) throw error
    void checkConnection()
    throw noResponse(
      isTimeout
        ? 'The server did not respond within a minute. It may still make this change.'
        : 'The server did not respond.',
    )
  } finally {
    clearTimeout(slow)
  }
}

/** @param what What happened, as a sentence. */
export const noResponse = (what: string): ApiError =>
  new ApiError(
    0,
    'NO_RESPONSE',
    `${what} Check your connection and that Arden is running, then try again.`,
    null,
    [],
  )

type ErrorBody = { error?: string; message?: string; details?: Detail[] }

/** With another message where that of the API is for programs. */
const withoutApiWords = (method: Method, status: number, body: ErrorBody | undefined) => {
  // Only an address that was edited by hand has a filter that the server refuses.
  if (method === 'GET' && status === 422)
    return {
      ...body,
      message:
        'A filter in the address of this page has a value that does not exist. Choose another one, or open the page from the navigation.',
    }
  // Such as after a paste of a whole book.
  if (status === 413)
    return {
      ...body,
      message:
        'This is too much text: one request takes about a million characters, or fewer of other scripts. Shorten it.',
    }
  return (
    body && {
      ...body,
      ...(body.message !== undefined && { message: aboutRecord(body.message) }),
      ...(body.details && {
        details: body.details.map(one => ({ ...one, message: aboutRecord(one.message) })),
      }),
    }
  )
}

/** Users follow links and choose from lists: what is not there was there before. */
const aboutRecord = (message: string): string =>
  message
    .replace(CHECK_ID, 'It may have been deleted, or belong to another account.')
    .replace(
      CHECK_ID_AND_MODE,
      'It may have been deleted, or belong to another account or to the other mode, live or test.',
    )

const toApiError = (response: Response, body: ErrorBody | undefined) =>
  new ApiError(
    response.status,
    body?.error ?? 'UNREADABLE',
    body?.message ??
      `The response could not be read (status ${response.status}). A proxy may have responded instead of Arden. Try again.`,
    response.headers.get('x-request-id'),
    body?.details ?? [],
    response.status === 429 ? Number(response.headers.get('retry-after')) * 1000 : undefined,
  )

/** `?a=1&b=2`, without undefined and empty members. */
export const query = (members: Record<string, string | number | undefined>): string => {
  const set = Object.entries(members).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

import { EXIT, StartError } from '../errors'

/** Longest wait for an answer, in ms: longer than the server itself takes for anything. */
const ANSWER_MS = 35_000

/** The public API, as commands call it: with a key, and without the database. */
export type Api = {
  /** As it may be shown. */
  url: string
  key: string
  /** The answer's JSON, of which the caller knows the shape from the OpenAPI document. */
  call: <T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => Promise<T>
  /** The answer to a GET, which goes on. A refusal is in its status. */
  open: (path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>
}

/** @throws {StartError} from each call: unreachable, refused (4xx), failed (5xx). */
export const createApi = (address: string, key: string): Api => {
  const url = withoutCredentials(address)
  const target = (path: string) => `${address.replace(/\/+$/, '')}/api/public/v1${path}`
  const authorization = `Bearer ${key}`
  const send = (path: string, init: RequestInit & { headers: Record<string, string> }) =>
    // A redirected POST would arrive as a GET; the address is wrong, and the error says so.
    fetch(target(path), { ...init, redirect: 'manual' }).catch(error => {
      if (init.signal?.aborted && error === init.signal.reason) throw error
      throw unreachable(url, error)
    })
  return {
    url,
    key,
    call: async <T>(method: string, path: string, body?: object) => {
      const response = await send(path, {
        method,
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_MS),
      }).catch(error => {
        throw error instanceof StartError ? error : unreachable(url, error)
      })
      if (!response.ok) throw await refusal(response)
      return await (response.json() as Promise<T>).catch(() => {
        throw notArden(response)
      })
    },
    open: async (path, headers, signal) => {
      const response = await send(path, { headers: { authorization, ...headers }, signal })
      if (!response.ok || isEventStream(response)) return response
      await response.body?.cancel()
      throw notArden(response)
    },
  }
}

/** An address as it may be shown: without the user and the password that it may have for a proxy. */
export const withoutCredentials = (address: string): string => {
  const url = URL.parse(address)
  // Of what is no address, nobody knows where a password ends.
  if (url === null || !/^https?:$/.test(url.protocol)) return address.replace(/^.*@/s, '***@')
  if (url.username === '' && url.password === '') return address
  url.username = '***'
  url.password = ''
  return url.href
}

const unreachable = (url: string, error: Error) =>
  new StartError(
    `The API at ${url} cannot be reached: ${error.message}. Check that \`arden dev\` or \`arden serve\` runs there, and --url or ARDEN_URL.`,
    { exitCode: EXIT.unreachable },
  )

/** What the API said, as an error of a command. */
export const refusal = async (response: Response): Promise<StartError> => {
  const message = messageIn(await response.text())
  if (message === undefined) return notArden(response)
  return new StartError(message, { exitCode: exitCodeOf(response.status) })
}

const isEventStream = ({ headers }: Response) =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

const notArden = ({ url, status }: Response) =>
  new StartError(
    `What answers at ${new URL(url).origin} is not Arden (${status}): a proxy, or something else. Check --url or ARDEN_URL.`,
    { exitCode: exitCodeOf(status) },
  )

const exitCodeOf = (status: number) => {
  // Of a proxy as well, in front of an API that is away.
  if (status >= 502 && status <= 504) return EXIT.unreachable
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.failed
}

/** Undefined when something other than the API answered. */
const messageIn = (text: string): string | undefined => {
  try {
    const { message } = JSON.parse(text)
    return typeof message === 'string' ? message : undefined
  } catch {
    return undefined
  }
}

import createClient from 'openapi-fetch'
import type {
  FilePath,
  Input,
  InputArgument,
  ItemOf,
  ListPath,
  Method,
  OperationOf,
  PathOf,
  ResponseBody,
} from './calls.js'
import { downloadFile } from './download.js'
import { ArdenError, toArdenError } from './errors.js'
import { BASE_PATH, type paths, SECRETS } from './generated.js'
import { assertPath } from './path.js'
import { serializeQuery } from './query.js'
import { createSend, type SendOptions } from './send.js'
import { serverUrl } from './server-url.js'
import { type StreamedEvent, type StreamOptions, streamEvents } from './stream.js'

export type ArdenOptions = Partial<SendOptions> & {
  /** URL of the server, such as `https://arden.example.com`, with or without `/api/public/v1`. */
  url: string
  /** `ar_live_...` or `ar_test_...`. */
  apiKey: string
}

const DEFAULTS: SendOptions = { retries: 3, timeoutMs: 30_000, longestWaitMs: 30_000 }

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...input: InputArgument<Input<OperationOf<P, M>, M>>
) => Promise<ResponseBody<OperationOf<P, M>>>

/** The records of all pages, newest first; pages are fetched on demand. */
export type List<P extends ListPath> = AsyncIterable<ItemOf<P>> & {
  /** Iterates over pages, including members other than `data`. */
  pages(): AsyncIterable<ResponseBody<OperationOf<P, 'get'>>>
}

export type Arden = {
  /** One record, or one page of a list. */
  get: Call<'get'>
  /** Sent with an `Idempotency-Key`, so that retries have no further effect. */
  post: Call<'post'>
  patch: Call<'patch'>
  delete: Call<'delete'>
  /** All records of a list: `for await (const article of arden.list('/articles'))`. */
  list: <P extends ListPath>(
    path: P,
    ...input: InputArgument<Input<OperationOf<P, 'get'>>>
  ) => List<P>
  /**
   * A file, such as `/articles/export`: the response before its body, which you read as a stream or at once. The call is
   * not retried, and `timeoutMs` is the time until the response begins. Reading the body fails when it is incomplete.
   */
  download: <P extends FilePath>(
    path: P,
    ...input: InputArgument<Input<OperationOf<P, 'get'>>>
  ) => Promise<Response>
  /**
   * Events as they happen: `for await (const { event } of arden.stream())`. Reconnects by itself.
   */
  stream: (options?: StreamOptions) => AsyncIterable<StreamedEvent>
}

/** An `Input` for a path that is not known at compile time. */
type AnyInput = {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
  idempotencyKey?: string
  ifMatch?: string
}
type Send = (
  method: Method,
  path: string,
  init: object,
) => Promise<{ data?: string; error?: unknown; response: Response }>

/**
 * A client for one server and key. Calls return the body of the response, and reject with an `ArdenError`.
 * @throws {TypeError} for an invalid `url` and for an `apiKey` that is empty or has characters that no key has.
 */
export const createArden = ({ url, apiKey, ...sending }: ArdenOptions): Arden => {
  if (!apiKey)
    throw new TypeError(
      '`apiKey` is empty. Pass an API key, from the dashboard or `arden keys create`.',
    )
  // The error of `fetch` would name the header with the key, which is then in a log.
  if (!/^[!-~]+$/.test(apiKey))
    throw new TypeError(
      '`apiKey` has a space, a line break or another character that no API key has. Pass the key alone.',
    )
  const server = serverUrl(url)
  const options = { ...DEFAULTS, ...sending }
  const client = createClient({
    baseUrl: server + BASE_PATH,
    querySerializer: serializeQuery,
    headers: { authorization: `Bearer ${apiKey}` },
    // A redirected POST would become a GET. A redirect means a wrong `url`, which the error names.
    redirect: 'manual',
    fetch: createSend(options),
  })
  // The path is a variable here; `Arden` has the types for callers.
  const request = client.request as unknown as Send

  const call = async (method: Method, path: string, input: AnyInput = {}): Promise<unknown> => {
    const { path: inPath, query, body, signal, ifMatch } = input
    assertPath(path, inPath)
    const { data, error, response } = await request(method, path, {
      parseAs: 'text',
      params: { path: inPath, query },
      body,
      ...(signal && { signal }),
      headers: {
        ...(method === 'post' && {
          'Idempotency-Key': input.idempotencyKey ?? crypto.randomUUID(),
        }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      },
    })
    const result = response.ok && parse(data)
    if (!result) throw toArdenError(response, error)
    if (method === 'post') assertSecretIncluded(path, response, result)
    const etag = response.headers.get('etag')
    return etag === null ? result : { ...result, etag }
  }

  async function* pages(path: string, input: AnyInput = {}) {
    let cursor: unknown = input.query?.cursor
    do {
      const page = (await call('get', path, { ...input, query: { ...input.query, cursor } })) as {
        data: unknown[]
        next_cursor: string | null
      }
      yield page
      cursor = page.next_cursor
    } while (cursor !== null)
  }
  const list = (path: string, input?: AnyInput) => ({
    pages: () => pages(path, input),
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages(path, input)) yield* data
    },
  })

  const method = (name: Method) => (path: string, input?: AnyInput) => call(name, path, input)
  return {
    get: method('get'),
    post: method('post'),
    patch: method('patch'),
    delete: method('delete'),
    list,
    download: (path: string, input?: AnyInput) =>
      downloadFile({ url: server, apiKey, timeoutMs: options.timeoutMs }, path, input),
    stream: (options: StreamOptions = {}) => streamEvents({ url: server, apiKey }, options),
  } as Arden
}

/** Parses a response of Arden; undefined for any other response. */
const parse = (text = ''): { data: unknown } | undefined => {
  try {
    const body = JSON.parse(text)
    return body?.data === undefined ? undefined : body
  } catch {
    return undefined
  }
}

const RENEWALS = {
  key: '/api-keys/{id}/regenerate',
  secret: '/webhooks/{id}/rotate-secret',
} as const satisfies { [member: string]: keyof paths }

/**
 * Throws for a replayed response, which lacks its secret (contract 6.12), so that no record misses it.
 */
const assertSecretIncluded = (path: string, response: Response, result: { data: unknown }) => {
  const member = SECRETS[path]
  if (member === undefined || response.headers.get('idempotent-replayed') !== 'true') return
  const record = result.data as { id: string }
  throw new ArdenError(
    'SECRET_SHOWN_BEFORE',
    `This call was executed before, and only its first response, which may have been lost, had \`${member}\`. It created or changed ${record.id}. Create a new \`${member}\` for that one: POST ${RENEWALS[member].replace('{id}', record.id)}.`,
    {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      extras: { record },
    },
  )
}

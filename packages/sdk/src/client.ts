import createClient from 'openapi-fetch'
import type {
  Answer,
  Input,
  InputArgument,
  ItemOf,
  ListPath,
  Method,
  OperationOf,
  PathOf,
} from './calls.js'
import { ArdenError, toArdenError } from './errors.js'
import { BASE_PATH, SECRETS } from './generated.js'
import { createSend, type SendOptions } from './send.js'
import { type StreamedEvent, type StreamOptions, streamEvents } from './stream.js'

export type ArdenOptions = Partial<SendOptions> & {
  /** Of the server, what stands before `/api/public/v1`: `https://arden.example.com`. */
  url: string
  /** `ar_live_...` or `ar_test_...`. */
  apiKey: string
}

const DEFAULTS: SendOptions = { retries: 3, timeoutMs: 30_000, longestWaitMs: 30_000 }

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...input: InputArgument<Input<OperationOf<P, M>, M>>
) => Promise<Answer<OperationOf<P, M>>>

/** The records of all pages, newest first; a page is fetched when it is needed. */
export type List<P extends ListPath> = AsyncIterable<ItemOf<P>> & {
  /** Page by page, with what a page tells beside its `data`. */
  pages(): AsyncIterable<Answer<OperationOf<P, 'get'>>>
}

export type Arden = {
  /** One record, or one page of a list. */
  get: Call<'get'>
  /** Sent with an `Idempotency-Key`, so that it happens once however often it is sent again. */
  post: Call<'post'>
  patch: Call<'patch'>
  delete: Call<'delete'>
  /** All records of a list: `for await (const article of arden.list('/articles'))`. */
  list: <P extends ListPath>(
    path: P,
    ...input: InputArgument<Input<OperationOf<P, 'get'>>>
  ) => List<P>
  /** Events as they happen: `for await (const { event } of arden.stream())`. A lost connection is opened again. */
  stream: (options?: StreamOptions) => AsyncIterable<StreamedEvent>
}

/** An `Input` whose path is not known to the compiler. */
type AnyInput = {
  path?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
  idempotencyKey?: string
}
type Send = (
  method: Method,
  path: string,
  init: object,
) => Promise<{ data?: string; error?: unknown; response: Response }>

/**
 * A client for one server and key. Its calls answer the body of the answer, and reject with an `ArdenError`.
 * @throws {TypeError} for a `url` that is none and for an empty `apiKey`.
 */
export const createArden = ({ url, apiKey, ...sending }: ArdenOptions): Arden => {
  if (!apiKey) throw new TypeError('`apiKey` is empty. Give a key that `arden keys create` made.')
  const server = new URL(url).href.replace(/\/$/, '')
  const client = createClient({
    baseUrl: server + BASE_PATH,
    headers: { authorization: `Bearer ${apiKey}` },
    // A redirected POST would arrive as a GET; the address is wrong, and the error says so.
    redirect: 'manual',
    fetch: createSend({ ...DEFAULTS, ...sending }),
  })
  // The path is a variable here: `Arden` types it for callers.
  const request = client.request as unknown as Send

  const call = async (method: Method, path: string, input: AnyInput = {}): Promise<unknown> => {
    const { path: inPath, query, body, signal, idempotencyKey = crypto.randomUUID() } = input
    const { data, error, response } = await request(method, path, {
      parseAs: 'text',
      params: { path: inPath, query },
      body,
      ...(signal && { signal }),
      ...(method === 'post' && { headers: { 'Idempotency-Key': idempotencyKey } }),
    })
    const answer = response.ok && parse(data)
    if (!answer) throw toArdenError(response, error)
    if (method === 'post') assertSecretIncluded(path, response, answer)
    return answer
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
    stream: (options: StreamOptions = {}) => streamEvents({ url: server, apiKey }, options),
  } as Arden
}

/** What an answer of Arden's is; undefined for that of something else. */
const parse = (text = ''): { data: unknown } | undefined => {
  try {
    const answer = JSON.parse(text)
    return answer?.data === undefined ? undefined : answer
  } catch {
    return undefined
  }
}

/** A replayed answer is without its secret (contract 6.12): no record may look as if it had one. */
const assertSecretIncluded = (path: string, response: Response, answer: { data: unknown }) => {
  const member = SECRETS[path]
  if (member === undefined || response.headers.get('idempotent-replayed') !== 'true') return
  const record = answer.data as { id: string }
  throw new ArdenError(
    'SECRET_SHOWN_BEFORE',
    `This call had happened before, perhaps with an answer that was lost, and \`${member}\` was in that answer only. It made or changed ${record.id}: have a new \`${member}\` made for it, with another Idempotency-Key.`,
    {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      extras: { record },
    },
  )
}

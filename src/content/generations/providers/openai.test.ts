import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { refusal, startLlm, streamed } from '../../../../test/support/content/llm'
import { createOpenAiProvider, type ProviderTimeouts } from './openai'
import { createPrompt } from './prompt'
import { type ArticleTask, ProviderError } from './provider'

const TASK: ArticleTask = {
  seed: 'gen_1',
  keyword: 'cold brew coffee',
  instructions: 'For beginners.',
  project: { name: 'Acme blog', domain: 'blog.acme.com', language: 'pt-BR' },
}

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const llm = (...args: Parameters<typeof startLlm>) => {
  const server = startLlm(...args)
  stops.push(server.stop)
  return server
}
const provider = (baseUrl: string, timeouts: Partial<ProviderTimeouts> = {}) =>
  createOpenAiProvider(
    { baseUrl, apiKey: 'sk-test', model: 'test-model', maxTokens: 700 },
    { responseMs: 5_000, silenceMs: 5_000, ...timeouts },
  )
const write = async (
  baseUrl: string,
  timeouts: Partial<ProviderTimeouts> = {},
  signal = new AbortController().signal,
) => {
  const pieces: string[] = []
  const { text } = await provider(baseUrl, timeouts).complete({
    ...createPrompt(TASK),
    task: TASK,
    signal,
    onText: piece => void pieces.push(piece),
  })
  expect(text).toBe(pieces.join(''))
  return pieces
}
const failure = async (written: Promise<unknown>): Promise<ProviderError> => {
  const error = await written.then(
    () => undefined,
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(ProviderError)
  expect((error as ProviderError).message).not.toContain('sk-')
  return error as ProviderError
}

test('requests a stream with API key, model, token limit and the input of the article', async () => {
  const server = llm(() => streamed(['# T\n', 'Body']))
  expect(await write(server.url)).toEqual(['# T\n', 'Body'])
  const [{ path, headers, body } = { path: '', headers: {} as Record<string, string>, body: {} }] =
    server.requests
  expect(path).toBe('/v1/chat/completions')
  expect(headers.authorization).toBe('Bearer sk-test')
  expect(body).toMatchObject({ model: 'test-model', stream: true, max_tokens: 700 })
  const messages = JSON.stringify(body.messages)
  for (const text of ['cold brew coffee', 'For beginners.', 'Acme blog', 'blog.acme.com', 'pt-BR'])
    expect(messages).toContain(text)
})

test('sends max_completion_tokens to a model that rejects max_tokens', async () => {
  const server = llm(({ body }) =>
    'max_tokens' in body
      ? refusal(400, 'unsupported_parameter', {}, 'max_tokens')
      : streamed(['# T\nBody']),
  )
  expect(await write(server.url)).toEqual(['# T\nBody'])
  expect(server.requests[1]?.body.max_completion_tokens).toBe(700)
})

describe('an error of the provider', () => {
  test.each([
    [400, 'invalid_request', 'provider_rejected', true],
    [401, 'invalid_api_key', 'provider_rejected', true],
    [404, 'model_not_found', 'provider_rejected', true],
    [429, 'insufficient_quota', 'provider_rejected', true],
    [400, 'content_filter', 'provider_refused', true],
    [429, 'rate_limit_exceeded', 'provider_rate_limited', false],
    [500, 'server_error', 'provider_unavailable', false],
    [503, 'overloaded', 'provider_unavailable', false],
  ])('%i %s is %s, final: %p, and is not retried here', async (status, code, expected, final) => {
    const server = llm(() => refusal(status, code))
    const error = await failure(write(server.url))
    expect([error.code, error.options.final ?? false]).toEqual([expected, final] as never)
    expect(server.requests.length).toBe(1)
  })

  test('keeps the response of the provider for the log, without the key', async () => {
    const server = llm(() => refusal(401, 'invalid_api_key'))
    const { message, options } = await failure(write(server.url))
    expect(options.providerText).toBe('401 [key]: invalid_api_key')
    expect(message).not.toContain('invalid_api_key')
  })

  test.each([
    [{ 'retry-after': '7' }, 7_000, 7_000],
    [{ 'retry-after-ms': '40' }, 40, 40],
    [{ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }, 55_000, 60_000],
  ])('has the delay of its Retry-After: %p', async (headers, min, max) => {
    const server = llm(() => refusal(503, 'overloaded', headers))
    const { retryAfterMs } = (await failure(write(server.url))).options
    expect(retryAfterMs).toBeGreaterThanOrEqual(min)
    expect(retryAfterMs).toBeLessThanOrEqual(max)
  })

  test('an unreachable provider is provider_unavailable', async () => {
    expect((await failure(write('http://127.0.0.1:1/v1'))).code).toBe('provider_unavailable')
  })

  test('an error in the stream is provider_unavailable', async () => {
    const server = llm(
      () =>
        new Response('data: {"error":{"message":"overloaded","code":"server_error"}}\n\n', {
          headers: { 'content-type': 'text/event-stream' },
        }),
    )
    expect((await failure(write(server.url))).code).toBe('provider_unavailable')
  })
})

describe('an incomplete response', () => {
  test('cut off at the token limit is provider_incomplete, and final: it would be cut off again', async () => {
    const server = llm(() => streamed(['# T\nBody'], 'length'))
    const error = await failure(write(server.url))
    expect([error.code, error.options.final]).toEqual(['provider_incomplete', true])
    expect(error.message).toContain('700 tokens')
  })

  test.each([
    ['without text', () => streamed([])],
    ['whose stream ends without a finish reason', () => streamed(['# T\nBo'], null)],
    ['that is not a stream', () => new Response('<html>a proxy</html>')],
    [
      'with invalid JSON in the stream',
      () =>
        new Response('data: {"choices": [\n\n', {
          headers: { 'content-type': 'text/event-stream' },
        }),
    ],
  ])('%s is provider_incomplete, and not final', async (_, respond) => {
    const server = llm(respond)
    const error = await failure(write(server.url))
    expect([error.code, error.options.final]).toEqual(['provider_incomplete', undefined])
  })

  test('whose connection is closed in the middle is provider_incomplete', async () => {
    const first = `data: {"choices":[{"index":0,"delta":{"content":"# T"},"finish_reason":null}]}\n\n`
    const server = createServer(socket => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${first.length.toString(16)}\r\n${first}\r\n`,
        )
        setTimeout(() => socket.resetAndDestroy(), 50)
      })
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    stops.push(() => server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect((await failure(write(`http://127.0.0.1:${port}/v1`))).code).toBe('provider_incomplete')
  })

  test.each(['content_filter'])('that ends with %s is provider_refused', async end => {
    const server = llm(() => streamed(['# T'], end))
    const error = await failure(write(server.url))
    expect([error.code, error.options.final]).toEqual(['provider_refused', true])
  })
})

describe('timeouts', () => {
  test('a pause before or within the response is provider_timeout', async () => {
    const never = new Promise<Response>(() => {})
    const silent = llm(() => never)
    const stuck = llm(() => streamed(['# T', { hold: never }]))
    for (const server of [silent, stuck]) {
      const error = await failure(write(server.url, { silenceMs: 200 }))
      expect(error.code).toBe('provider_timeout')
      expect(error.message).toBe('The provider sent nothing for 0.2 s. Generate it again later.')
    }
  })

  test('a slow response is read up to the total timeout', async () => {
    // Longer than a pause may be, in parts that are far from it also on a busy machine.
    const slow = Array.from({ length: 6 }, () => ({ text: 'x', waitMs: 400 }))
    const server = llm(() => streamed(slow))
    expect((await write(server.url, { silenceMs: 2_000 })).length).toBe(6)
    // Between two parts: each ends a pause, and none begins the total anew.
    const error = await failure(write(server.url, { responseMs: 1_000 }))
    expect(error.message).toStartWith('The response of the provider was not complete after 1 s.')
  })

  test('an aborted caller ends the request', async () => {
    const arrived = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const server = Bun.serve({
      port: 0,
      fetch: request => {
        request.signal.addEventListener('abort', () => closed.resolve())
        arrived.resolve()
        return streamed(['# T', { hold: closed.promise }])
      },
    })
    stops.push(() => server.stop(true))
    const cancel = new AbortController()
    const reason = new Error('cancelled')
    arrived.promise.then(() => cancel.abort(reason))
    await expect(write(`http://127.0.0.1:${server.port}/v1`, {}, cancel.signal)).rejects.toBe(
      reason,
    )
    await closed.promise
  })
})

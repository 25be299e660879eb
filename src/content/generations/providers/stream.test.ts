import { afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { streamedMessage } from '../../../../test/support/content/anthropic'
import { complete, failureOf } from '../../../../test/support/content/completions'
import { type Chunk, startLlm, streamed } from '../../../../test/support/content/llm'
import { createAnthropicProvider } from './anthropic'
import { createOpenAiProvider } from './openai'
import type { ProviderTimeouts } from './timeouts'

/** What holds for each protocol. */
const PROTOCOLS = [
  {
    protocol: "OpenAI's",
    create: createOpenAiProvider,
    stream: (pieces: (string | Chunk)[]) => streamed(pieces),
    beginning: () => streamed(['# T'], null),
  },
  {
    protocol: "Anthropic's",
    create: createAnthropicProvider,
    stream: (pieces: (string | Chunk)[]) => streamedMessage(pieces),
    beginning: () => streamedMessage(['# T'], { raw: '' }),
  },
]

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

describe.each(PROTOCOLS)('with $protocol protocol', ({ create, stream, beginning }) => {
  const provider = (baseUrl: string, timeouts: Partial<ProviderTimeouts> = {}) =>
    create(
      { name: 'llm', baseUrl, apiKey: 'sk-test', model: 'm', maxTokens: 700 },
      { responseMs: 5_000, silenceMs: 5_000, ...timeouts },
    )
  const serve = (...args: Parameters<typeof startLlm>) => {
    const server = startLlm(...args)
    stops.push(server.stop)
    return server
  }

  test('an unreachable provider is provider_unavailable', async () => {
    const { code, options } = await failureOf(complete(provider('http://127.0.0.1:1/v1')))
    expect([code, options.kind]).toEqual(['provider_unavailable', 'unreachable'])
  })

  test('a redirect is not followed: it would send the key to another server', async () => {
    const other = serve(() => stream(['OK']))
    const { url } = serve(() => Response.redirect(other.url, 307))
    expect((await failureOf(complete(provider(url)))).code).toBe('provider_rejected')
    expect(other.requests).toEqual([])
  })

  test('a page instead of a stream, as of a gateway, is named as what it is', async () => {
    const respond = (headers: Record<string, string>) =>
      complete(provider(serve(() => new Response('<html>gateway</html>', { headers })).url))
    const { code, message } = await failureOf(
      respond({ 'content-type': 'text/html; charset=utf-8' }),
    )
    expect([code, message]).toEqual([
      'provider_incomplete',
      'The provider responded with text/html instead of a stream of events. Retry it later.',
    ])
    const unnamed = await failureOf(respond({ 'content-type': '\u00ff' }))
    expect(unnamed.message).toContain('with no content type instead')
  })

  test('an error without an end is read up to its beginning', async () => {
    const { url } = serve(
      () =>
        new Response(
          new ReadableStream({
            pull: controller => controller.enqueue(new Uint8Array(65_536).fill(0x78)),
          }),
          { status: 500 },
        ),
    )
    expect((await failureOf(complete(provider(url)))).code).toBe('provider_unavailable')
  })

  test('a connection that is closed in the middle is provider_incomplete', async () => {
    const first = await beginning().text()
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
    const error = await failureOf(complete(provider(`http://127.0.0.1:${port}/v1`)))
    expect(error.code).toBe('provider_incomplete')
  })

  test('a pause before or within the response is provider_timeout', async () => {
    const silent = serve(() => never<Response>())
    const stuck = serve(() => stream(['# T', { hold: never() }]))
    for (const server of [silent, stuck]) {
      const error = await failureOf(complete(provider(server.url, { silenceMs: 200 })))
      expect(error.code).toBe('provider_timeout')
      expect(error.message).toBe('The provider sent nothing for 0.2 s. Retry it later.')
    }
  })

  test('a model that thinks is no pause, as long as its server sends pings or comments', async () => {
    const signs = [': thinking\n\n', 'event: ping\ndata: {"type": "ping"}\n\n']
    const thinking = Array.from({ length: 6 }, (_, n) => ({ raw: signs[n % 2], waitMs: 300 }))
    const { url } = serve(() => stream([...thinking, 'OK']))
    expect((await complete(provider(url, { silenceMs: 1_200 }))).text).toBe('OK')
  })

  test('a slow response is read up to the total timeout', async () => {
    // Longer than a pause may be, in parts that are far from it also on a busy machine.
    const slow = Array.from({ length: 6 }, () => ({ text: 'x', waitMs: 400 }))
    const { url } = serve(() => stream(slow))
    expect((await complete(provider(url, { silenceMs: 2_000 }))).text).toBe('xxxxxx')
    // Between two parts: each ends a pause, and none begins the total anew.
    const error = await failureOf(complete(provider(url, { responseMs: 1_000 })))
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
        return stream(['# T', { hold: closed.promise }])
      },
    })
    stops.push(() => server.stop(true))
    const cancel = new AbortController()
    const reason = new Error('cancelled')
    arrived.promise.then(() => cancel.abort(reason))
    const completion = complete(provider(`http://127.0.0.1:${server.port}/v1`), {
      signal: cancel.signal,
    })
    expect(await completion.catch(error => error)).toBe(reason)
    await closed.promise
  })
})

const never = <T = unknown>() => new Promise<T>(() => {})

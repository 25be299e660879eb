import { afterAll, describe, expect, test } from 'bun:test'
import { settled } from '../../../test/support/settled'
import { createPostReceivers, request, text } from '../../../test/support/webhooks/post-receivers'
import { createPost, type PostRequest } from './post'

const { receiver, socketReceiver, stop } = createPostReceivers()
afterAll(stop)

describe('a response', () => {
  test('of any 2xx status is a success', async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      const port = receiver(() => new Response(status === 204 ? null : 'ok', { status }))
      expect(await createPost()(request(port))).toEqual({
        httpStatus: status,
        responseBody: status === 204 ? '' : 'ok',
        error: null,
      })
    }
  })

  test('of any other status is a failure with that status', async () => {
    for (const status of [400, 404, 410, 429, 500, 503]) {
      const port = receiver(() => new Response('no', { status, headers: { 'Retry-After': '99' } }))
      expect(await createPost()(request(port))).toEqual({
        httpStatus: status,
        responseBody: 'no',
        error: `the endpoint responded with ${status}`,
      })
    }
  })

  test('of 3xx is a failure, and is not followed', async () => {
    let followed = false
    const target = receiver(() => {
      followed = true
      return new Response()
    })
    const location = `http://127.0.0.1:${target}/there`
    const port = receiver(() => new Response('', { status: 302, headers: { location } }))
    const outcome = await createPost()(request(port))
    expect(outcome.error).toBe(`redirects are not followed (302 to ${location})`)
    expect(outcome.httpStatus).toBe(302)
    expect(followed).toBe(false)
  })

  test('of 3xx is a failure with the first 200 characters of the Location, without control characters', async () => {
    const location = `/\u0001\u001b\u0085"${'x'.repeat(15_000)}`
    const port = await socketReceiver(socket =>
      socket.end(Buffer.from(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\n\r\n`, 'latin1')),
    )
    const { error } = await createPost()(request(port))
    expect(error).toBe(
      `redirects are not followed (302 to /\uFFFD\uFFFD\uFFFD"${'x'.repeat(194)}…)`,
    )
  })

  test('is requested with the Host and query of the URL and the exact bytes of the body', async () => {
    const port = receiver(
      async r => new Response(`${r.headers.get('host')} ${r.url} ${await r.text()}`),
    )
    const { responseBody } = await createPost()(request(port))
    expect(responseBody).toBe(`hooks.test:${port} http://hooks.test:${port}/in?token=t {"é":1}`)
  })

  test('after 100 and 103 is the final one; 101 is a failure', async () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'
    const hints = await socketReceiver(socket => socket.write(early + text('ok')))
    expect((await createPost()(request(hints))).httpStatus).toBe(200)
    const upgrade = await socketReceiver(socket =>
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      ),
    )
    expect((await createPost()(request(upgrade))).error).toBe('the endpoint responded with 101')
  })
})

describe('the stored body', () => {
  test('is the first 64 KiB, and the rest is not read', async () => {
    let written = 0
    let closed = Promise.withResolvers<void>()
    const port = await socketReceiver(socket => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(16_384))) written += 16_384
      }
      socket.on('drain', more)
      socket.on('close', () => closed.resolve())
      more()
    })
    closed = Promise.withResolvers<void>()
    const { responseBody, error } = await createPost()(request(port))
    expect(responseBody).toBe('x'.repeat(65_536))
    expect(error).toBeNull()
    await closed.promise
    expect(written).toBeLessThan(20_000_000)
  })

  test('is UTF-8 with replacement characters, U+0000 as U+FFFD, without a partial character at the limit', async () => {
    const bytes = new Uint8Array([0x61, 0, 0xff, 0xc3, 0xa9])
    const port = receiver(() => new Response(bytes))
    expect((await createPost()(request(port))).responseBody).toBe('a\uFFFD\uFFFDé')
    const long = receiver(() => new Response(`x${'é'.repeat(40_000)}`))
    expect((await createPost()(request(long))).responseBody).toBe(`x${'é'.repeat(32_767)}`)
    const binary = receiver(() => new Response(new Uint8Array(70_000).fill(0xff)))
    expect((await createPost()(request(binary))).responseBody).toBe('\uFFFD'.repeat(21_845))
  })

  test('is the part that arrived by the time-out, when the headers did', async () => {
    const port = await socketReceiver(socket =>
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf'),
    )
    const outcome = await createPost({ timeoutMs: 200 })(request(port))
    expect(outcome).toEqual({ httpStatus: 201, responseBody: 'half', error: null })
  })

  test('is the part that arrived before the connection broke', async () => {
    const port = await socketReceiver(socket => {
      socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      )
    })
    const outcome = await createPost()(request(port))
    expect(outcome).toEqual({
      httpStatus: 500,
      responseBody: 'half',
      error: 'the endpoint responded with 500',
    })
  })
})

describe('no response', () => {
  const failure = async (
    port: number | undefined,
    { timeoutMs, ...more }: Partial<PostRequest> & { timeoutMs?: number } = {},
  ) => {
    const outcome = await createPost(timeoutMs === undefined ? {} : { timeoutMs })(
      request(port, more),
    )
    expect(outcome.httpStatus).toBeNull()
    expect(outcome.responseBody).toBeNull()
    return outcome.error
  }

  test('within the time-out: "timed out after"', async () => {
    const silent = receiver(() => new Promise<Response>(() => {}))
    expect(await failure(silent, { timeoutMs: 200 })).toBe('timed out after 0.2 s')
    const half = await socketReceiver(socket => socket.write('HTTP/1.1 200 OK\r\nX-A: 1\r\n'))
    expect(await failure(half, { timeoutMs: 200 })).toBe('timed out after 0.2 s')
    expect(await failure(1, { timeoutMs: 200, resolve: () => new Promise(() => {}) })).toBe(
      'timed out after 0.2 s',
    )
  })

  test('because the port is closed or the connection breaks', async () => {
    expect(await failure(1)).toBe('connection refused')
    expect(await failure(await socketReceiver(socket => socket.resetAndDestroy()))).toBe(
      'connection reset',
    )
    expect(await failure(await socketReceiver(socket => socket.end()))).toBe('connection reset')
  })

  test('that is HTTP', async () => {
    const garbage = await socketReceiver(socket => socket.write('SSH-2.0-OpenSSH_9.2\r\n'))
    expect(await failure(garbage)).toBe('the response is not valid HTTP')
    const flood = await socketReceiver(socket => {
      socket.write(`HTTP/1.1 200 OK\r\n${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(200)}`)
    })
    expect(await failure(flood)).toBe('the headers of the response are too large')
  })

  test('has an error of at most 1,000 characters that PostgreSQL can store, whatever its source is', async () => {
    const resolve = (message: string) => () => Promise.reject(new Error(message))
    expect(await failure(1, { resolve: resolve(`a\0\u001f${'x'.repeat(5_000)}`) })).toBe(
      `a\uFFFD\uFFFD${'x'.repeat(996)}…`,
    )
    expect(await failure(1, { resolve: resolve('🫖'.repeat(600)) })).toBe(
      `${'🫖'.repeat(499)}\uFFFD…`,
    )
    expect(await failure(1, { resolve: resolve('x'.repeat(1_000)) })).toBe('x'.repeat(1_000))
  })

  test('because the caller aborted: rejects without an outcome', async () => {
    const stop = new AbortController()
    const port = receiver(() => {
      stop.abort(new Error('stopping'))
      return new Promise<Response>(() => {})
    })
    const sent = createPost()(request(port, { signal: stop.signal }))
    expect(await settled(sent)).toThrow('stopping')
  })
})

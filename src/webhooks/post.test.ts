import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net, { type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveAddress } from './address'
import { createPost, type PostRequest } from './post'

const local = async () => ({ address: '127.0.0.1', family: 4 })
const never = new AbortController().signal
const request = (port: number | undefined, more: Partial<PostRequest> = {}): PostRequest => ({
  url: new URL(`http://hooks.test:${port}/in?token=t`),
  resolve: local,
  headers: { 'Content-Type': 'application/json' },
  body: '{"é":1}',
  signal: never,
  ...more,
})
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

const receiver = (fetch: (request: Request) => Response | Promise<Response>) => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch })
  closers.push(() => server.stop(true))
  return server.port
}
const socketReceiver = async (onRequest: (socket: Socket, count: number) => void) => {
  const server = net.createServer(socket => {
    let count = 0
    socket.on('error', () => {})
    socket.on('data', () => onRequest(socket, ++count))
  })
  closers.push(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const text = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe('an answer', () => {
  test('of 2xx is a success, whatever its status within 2xx', async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      const port = receiver(() => new Response(status === 204 ? null : 'ok', { status }))
      expect(await createPost()(request(port))).toEqual({
        httpStatus: status,
        responseBody: status === 204 ? '' : 'ok',
        error: null,
      })
    }
  })

  test('of any other status is a failure that says so', async () => {
    for (const status of [400, 404, 410, 429, 500, 503]) {
      const port = receiver(() => new Response('no', { status, headers: { 'Retry-After': '99' } }))
      expect(await createPost()(request(port))).toEqual({
        httpStatus: status,
        responseBody: 'no',
        error: `the endpoint answered ${status}`,
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

  test('is asked for with the Host of the URL, its query, and the exact bytes of the body', async () => {
    const port = receiver(
      async r => new Response(`${r.headers.get('host')} ${r.url} ${await r.text()}`),
    )
    const { responseBody } = await createPost()(request(port))
    expect(responseBody).toBe(`hooks.test:${port} http://hooks.test:${port}/in?token=t {"é":1}`)
  })

  test('after 100 and 103 is the one that counts; 101 is no success', async () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'
    const hints = await socketReceiver(socket => socket.write(early + text('ok')))
    expect((await createPost()(request(hints))).httpStatus).toBe(200)
    const upgrade = await socketReceiver(socket =>
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      ),
    )
    expect((await createPost()(request(upgrade))).error).toBe('the endpoint answered 101')
  })
})

describe('the body kept', () => {
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

  test('is UTF-8 with replacement, U+0000 as U+FFFD, and no half character at the cut', async () => {
    const bytes = new Uint8Array([0x61, 0, 0xff, 0xc3, 0xa9])
    const port = receiver(() => new Response(bytes))
    expect((await createPost()(request(port))).responseBody).toBe('a\uFFFD\uFFFDé')
    const long = receiver(() => new Response(`x${'é'.repeat(40_000)}`))
    expect((await createPost()(request(long))).responseBody).toBe(`x${'é'.repeat(32_767)}`)
  })

  test('is what came by the end of the time, when its headers came within it', async () => {
    const port = await socketReceiver(socket =>
      socket.write('HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\nhalf'),
    )
    const outcome = await createPost({ timeoutMs: 200 })(request(port))
    expect(outcome).toEqual({ httpStatus: 201, responseBody: 'half', error: null })
  })

  test('is what came before the connection broke', async () => {
    const port = await socketReceiver(socket => {
      socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      )
    })
    const outcome = await createPost()(request(port))
    expect(outcome).toEqual({
      httpStatus: 500,
      responseBody: 'half',
      error: 'the endpoint answered 500',
    })
  })
})

describe('no answer', () => {
  const failure = async (port: number | undefined, more: Partial<PostRequest> = {}) => {
    const outcome = await createPost({ timeoutMs: 200 })(request(port, more))
    expect(outcome.httpStatus).toBeNull()
    expect(outcome.responseBody).toBeNull()
    return outcome.error
  }

  test('in time: "timed out after"', async () => {
    expect(await failure(receiver(() => new Promise<Response>(() => {})))).toBe(
      'timed out after 0.2 s',
    )
    const half = await socketReceiver(socket => socket.write('HTTP/1.1 200 OK\r\nX-A: 1\r\n'))
    expect(await failure(half)).toBe('timed out after 0.2 s')
    expect(await failure(1, { resolve: () => new Promise(() => {}) })).toBe('timed out after 0.2 s')
  })

  test('because nobody listens or the connection breaks', async () => {
    expect(await failure(1)).toBe('connection refused')
    expect(await failure(await socketReceiver(socket => socket.resetAndDestroy()))).toBe(
      'connection reset',
    )
    expect(await failure(await socketReceiver(socket => socket.end()))).toBe('connection reset')
  })

  test('that is HTTP', async () => {
    const garbage = await socketReceiver(socket => socket.write('SSH-2.0-OpenSSH_9.2\r\n'))
    expect(await failure(garbage)).toBe('the answer is not valid HTTP')
    const flood = await socketReceiver(socket => {
      socket.write(`HTTP/1.1 200 OK\r\n${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(200)}`)
    })
    expect(await failure(flood)).toBe('the headers of the answer are too large')
  })

  test('because the caller ended it: there is no outcome', async () => {
    const stop = new AbortController()
    const port = receiver(() => {
      stop.abort(new Error('stopping'))
      return new Promise<Response>(() => {})
    })
    expect(createPost()(request(port, { signal: stop.signal }))).rejects.toThrow('stopping')
  })
})

test('a kept connection that dies before the first byte is asked afresh, once', async () => {
  const post = createPost()
  let requests = 0
  const port = await socketReceiver((socket, count) => {
    requests++
    if (count === 1) socket.write(text('ok'))
    else socket.resetAndDestroy()
  })
  expect((await post(request(port))).httpStatus).toBe(200)
  await Bun.sleep(20) // Long enough for the connection to be back among the kept ones.
  expect((await post(request(port))).httpStatus).toBe(200)
  expect(requests).toBe(3)
})

test('a connection that was kept for too long is not used, though this process hung and could not close it', async () => {
  const post = createPost()
  let connections = 0
  const port = await socketReceiver((socket, count) => {
    if (count === 1) connections++
    socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2\r\nContent-Length: 0\r\n\r\n')
  })
  for (let n = 0; n < 2; n++) expect((await post(request(port))).httpStatus).toBe(200)
  expect(connections).toBe(1)
  Bun.sleepSync(1_100) // What is left of the 2 s is the margin.
  expect((await post(request(port))).httpStatus).toBe(200)
  expect(connections).toBe(2)
})

test('a proxy of the environment is not used', async () => {
  const proxy = receiver(() => new Response('from the proxy'))
  const port = receiver(() => new Response('direct'))
  const script = `import { createPost } from '${import.meta.dir}/post'
    const outcome = await createPost()({ url: new URL('http://hooks.test:${port}/'), headers: {}, body: '{}',
      resolve: async () => ({ address: '127.0.0.1', family: 4 }), signal: new AbortController().signal })
    console.log(outcome.responseBody)
    process.exit()`
  const url = `http://127.0.0.1:${proxy}`
  const run = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, ALL_PROXY: url },
  })
  expect((await new Response(run.stdout).text()).trim()).toBe('direct')
})

test('more requests than 256 are under way at once', async () => {
  const waiting = Promise.withResolvers<void>()
  let open = 0
  const port = receiver(async () => {
    if (++open === 300) waiting.resolve()
    await waiting.promise
    return new Response('ok')
  })
  const post = createPost()
  const outcomes = await Promise.all(Array.from({ length: 300 }, () => post(request(port))))
  expect(outcomes.every(outcome => outcome.error === null)).toBe(true)
})

describe('TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'arden-tls-'))
  closers.push(() => rmSync(dir, { recursive: true }))
  const openssl = (args: string[]) => {
    const run = Bun.spawnSync(['openssl', ...args], { cwd: dir, stderr: 'pipe' })
    if (!run.success) throw new Error(run.stderr.toString())
  }
  const key = ['-newkey', 'rsa:2048', '-nodes']
  openssl([
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=A test CA',
    '-days',
    '2',
  ])
  for (const name of ['a.test', 'b.test']) {
    openssl([
      'req',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
    ])
    openssl([
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-copy_extensions',
      'copy',
    ])
  }
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  const certificate = (name: string) => ({
    serverName: name,
    cert: read(`${name}.pem`),
    key: read(`${name}.key`),
  })
  const serve = (tls: Bun.TLSOptions | Bun.TLSOptions[]) => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls,
      fetch: (r, self) => new Response(`${r.headers.get('host')} from ${self.requestIP(r)?.port}`),
    })
    closers.push(() => server.stop(true))
    return server.port
  }
  const at = (name: string, port: number | undefined, resolve: PostRequest['resolve'] = local) =>
    request(port, { url: new URL(`https://${name}:${port}/`), resolve })

  test('is verified for the name of the URL, not for the address connected to', async () => {
    const port = serve(certificate('a.test'))
    const post = createPost({ ca: read('ca.pem') })
    expect((await post(at('a.test', port))).error).toBeNull()
    const other = await post(at('b.test', port))
    expect(other.error).toStartWith('TLS: ')
    expect(other.error).toContain('b.test')
    expect(other.httpStatus).toBeNull()
  })

  test('a name that resolves to another address at each look: the checked one gets the request, with SNI and Host of the name', async () => {
    const port = serve(certificate('a.test'))
    let elsewhere = 0
    const trap = net.createServer(socket => {
      elsewhere++
      socket.destroy()
    })
    closers.push(() => trap.close())
    await new Promise<void>(resolve => trap.listen(port, '127.0.0.2', resolve))
    const url = new URL(`https://a.test:${port}/`)
    let asked = 0
    const rebinding = async () => [{ address: `127.0.0.${++asked}`, family: 4 }]
    const outcome = await createPost({ ca: read('ca.pem') })(
      at('a.test', port, end => resolveAddress(url, { allowPrivate: true }, end, rebinding)),
    )
    expect(outcome.error).toBeNull()
    expect(outcome.responseBody).toStartWith(`a.test:${port} from `)
    expect([asked, elsewhere]).toEqual([1, 0])
  })

  test('with a certificate nobody vouches for fails, and so does an endpoint without TLS', async () => {
    const port = serve(certificate('a.test'))
    expect((await createPost()(at('a.test', port))).error).toBe(
      'TLS: unable to verify the first certificate',
    )
    const plain = await socketReceiver(socket => socket.end(text('ok')))
    expect((await createPost()(at('a.test', plain))).error).toStartWith('TLS: ')
  })

  test('two names on one address never share a connection, one name does', async () => {
    const port = serve([certificate('a.test'), certificate('b.test')])
    const post = createPost({ ca: read('ca.pem') })
    const from: (string | null)[] = []
    for (const name of ['a.test', 'b.test', 'a.test', 'b.test']) {
      const outcome = await post(at(name, port))
      expect(outcome.error).toBeNull()
      from.push(outcome.responseBody)
      await Bun.sleep(20) // Long enough for the connection to be back among the kept ones.
    }
    expect(from[0]).toBe(from[2] ?? null)
    expect(from[1]).toBe(from[3] ?? null)
    expect(new Set(from.map(line => line?.split(' from ')[1])).size).toBe(2)
  })
})

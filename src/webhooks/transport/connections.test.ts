import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority, type Pair } from '../../../test/support/network/certificates'
import { quietPort } from '../../../test/support/network/quiet-ports'
import { until } from '../../../test/support/until'
import {
  createPostReceivers,
  local,
  request,
  text,
} from '../../../test/support/webhooks/post-receivers'
import { resolveAddress } from './address'
import { type Connections, createConnections } from './connections'
import { createDeadlines } from './deadlines'
import { createPost, type PostRequest } from './post'

const { receiver, socketReceiver, stop } = createPostReceivers()
afterAll(stop)

test('sends again once, on a new connection, when an idle connection closes before the first byte', async () => {
  const post = createPost()
  let requests = 0
  const port = await socketReceiver((socket, count) => {
    requests++
    if (count === 1) socket.write(text('ok'))
    else socket.resetAndDestroy()
  })
  expect((await post(request(port))).httpStatus).toBe(200)
  expect((await post(request(port))).httpStatus).toBe(200)
  expect(requests).toBe(3)
})

test('does not use a connection that expired while the process was blocked', async () => {
  const post = createPost()
  let connections = 0
  const port = await socketReceiver((socket, count) => {
    if (count === 1) connections++
    socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=4\r\nContent-Length: 0\r\n\r\n')
  })
  for (let n = 0; n < 2; n++) expect((await post(request(port))).httpStatus).toBe(200)
  expect(connections).toBe(1)
  Bun.sleepSync(3_100) // The rest of the 4 s is the margin.
  expect((await post(request(port))).httpStatus).toBe(200)
  expect(connections).toBe(2)
})

const start = createDeadlines(10_000)

/** Connections of these accounts to a receiver each, in this order. */
const openFor = (connections: Connections, ...accounts: string[]) =>
  Promise.all(
    accounts.map(async account => {
      const url = new URL(`http://127.0.0.1:${receiver(() => new Response('ok'))}/`)
      const destination = { account, url, address: await local() }
      const deadline = start(new AbortController().signal)
      const { release } = await connections.open(destination, deadline)
      deadline.dispose()
      return {
        release,
        isKept: () => {
          const kept = connections.takeIdle(destination)
          kept?.destroy()
          return kept !== undefined
        },
      }
    }),
  )

test('when there would be too many, closes the connection that the account with the most was idle with longest', async () => {
  const connections = createConnections({ handshakeMaxBytes: 0, idleMax: 3 })
  const open = await openFor(connections, 'a', 'b', 'b', 'c', 'b')
  for (const { release } of open) release(undefined)
  expect(open.map(one => one.isKept())).toEqual([true, false, false, true, true])
})

test('a connection is closed 10 minutes after it was opened, so that certificates are verified again', async () => {
  const connections = createConnections({ handshakeMaxBytes: 0, idleMax: 10 })
  const [younger, older] = await openFor(connections, 'a', 'a')
  const now = performance.now.bind(performance)
  let later = 9 * 60_000
  const clock = spyOn(performance, 'now').mockImplementation(() => now() + later)
  try {
    younger?.release(undefined)
    expect(younger?.isKept()).toBe(true)
    later = 10 * 60_000
    older?.release(undefined)
    expect(older?.isKept()).toBe(false)
  } finally {
    clock.mockRestore()
  }
})

test('ignores HTTP_PROXY', async () => {
  const proxy = receiver(() => new Response('from the proxy'))
  const port = receiver(() => new Response('direct'))
  const script = `import { createPost } from '${import.meta.dir}/post'
    const outcome = await createPost()({ accountId: 'a', url: new URL('http://hooks.test:${port}/'), headers: {}, body: '{}',
      resolve: async () => ({ address: '127.0.0.1', family: 4 }), signal: new AbortController().signal })
    console.log(outcome.responseBody)
    process.exit()`
  const url = `http://127.0.0.1:${proxy}`
  const run = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, ALL_PROXY: url },
  })
  expect((await new Response(run.stdout).text()).trim()).toBe('direct')
})

test('runs more than 256 requests at a time', async () => {
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
  let authority: Awaited<ReturnType<typeof createAuthority>>
  beforeAll(async () => {
    authority = await createAuthority('A test CA')
  })
  /** A receiver with a certificate for each of the names. */
  const serve = async (...names: string[]) =>
    receiver(
      (r, server) => new Response(`${r.headers.get('host')} from ${server.requestIP(r)?.port}`),
      await Promise.all(
        names.map(async name => ({
          serverName: name,
          ...(await authority.issue(name, 'server', [{ type: 'dns', value: name }])),
        })),
      ),
    )
  const at = (name: string, port: number | undefined, resolve: PostRequest['resolve'] = local) =>
    request(port, { url: new URL(`https://${name}:${port}/`), resolve })

  test('verifies the certificate for the host name of the URL, not for the address', async () => {
    const port = await serve('a.test')
    const post = createPost({ ca: authority.cert })
    expect((await post(at('a.test', port))).error).toBeNull()
    const other = await post(at('b.test', port))
    expect(other.error).toStartWith('TLS: ')
    expect(other.error).toContain('b.test')
    expect(other.httpStatus).toBeNull()
  })

  test('connects to the checked address of a name that resolves to another one each time, with SNI and Host of the name', async () => {
    const port = await serve('a.test')
    let elsewhere = 0
    const trap = net.createServer(socket => {
      elsewhere++
      socket.destroy()
    })
    await new Promise<void>(resolve => trap.listen(port, '127.0.0.2', resolve))
    const url = new URL(`https://a.test:${port}/`)
    let lookups = 0
    const rebinding = async () => [{ address: `127.0.0.${++lookups}`, family: 4 }]
    const outcome = await createPost({ ca: authority.cert })(
      at('a.test', port, end => resolveAddress(url, { allowPrivate: true }, end, rebinding)),
    ).finally(() => trap.close())
    expect(outcome.error).toBeNull()
    expect(outcome.responseBody).toStartWith(`a.test:${port} from `)
    expect([lookups, elsewhere]).toEqual([1, 0])
  })

  test('fails for an untrusted certificate and for an endpoint without TLS', async () => {
    const port = await serve('a.test')
    expect((await createPost()(at('a.test', port))).error).toBe(
      'TLS: unable to verify the first certificate',
    )
    const plain = await socketReceiver(socket => socket.end(text('ok')))
    expect((await createPost()(at('a.test', plain))).error).toBe(
      'TLS: the endpoint does not speak TLS on this port',
    )
  })

  test('verifies certificates also where the environment says not to', async () => {
    const port = await serve('a.test')
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const { error, httpStatus } = await createPost()(at('a.test', port))
      expect([error, httpStatus]).toEqual(['TLS: unable to verify the first certificate', null])
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })

  test('verifies the certificate for the address where the URL has no name', async () => {
    const ip = await authority.issue('ip', 'server', [{ type: 'ip', value: '127.0.0.1' }])
    const name = await authority.issue('ip', 'server', [{ type: 'dns', value: 'localhost' }])
    const post = createPost({ ca: authority.cert })
    const send = (pair: Pair) =>
      post(
        at(
          '127.0.0.1',
          receiver(() => new Response('ok'), [pair]),
        ),
      )
    expect((await send(ip)).error).toBeNull()
    expect((await send(name)).error).toStartWith('TLS: ')
  })

  // Neither Bun nor Node can send more than two tickets.
  test.skipIf(Bun.which('openssl') === null)(
    'ends a connection on which session tickets arrive instead of a response',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tickets-'))
      const { cert, key } = await authority.issue('a.test', 'server', [
        { type: 'dns', value: 'a.test' },
      ])
      await Bun.write(join(folder, 'pem'), `${cert}\n${key}`)
      const port = await quietPort()
      const server = Bun.spawn(
        [
          'openssl',
          's_server',
          '-accept',
          `127.0.0.1:${port}`,
          '-cert',
          join(folder, 'pem'),
        ].concat(...['-tls1_3', '-quiet', '-num_tickets', '5000']),
        { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' },
      )
      const post = createPost({ ca: authority.cert, timeoutMs: 20_000 })
      try {
        await until('it accepts connections', async () => {
          const { error } = await post(at('a.test', port))
          if (error === 'connection refused') return false
          expect(error).toBe('the response has too many bytes that are not HTTP')
          return true
        })
      } finally {
        server.kill()
        await server.exited
        await rm(folder, { recursive: true })
      }
    },
  )

  test('never shares a connection between two names on one address, and reuses it for one name', async () => {
    const port = await serve('a.test', 'b.test')
    const post = createPost({ ca: authority.cert })
    const from: (string | null)[] = []
    for (const name of ['a.test', 'b.test', 'a.test', 'b.test']) {
      const outcome = await post(at(name, port))
      expect(outcome.error).toBeNull()
      from.push(outcome.responseBody)
    }
    expect(from[0]).toBe(from[2] ?? null)
    expect(from[1]).toBe(from[3] ?? null)
    expect(new Set(from.map(line => line?.split(' from ')[1])).size).toBe(2)
  })
})

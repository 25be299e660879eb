import { afterAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority, createExpensiveChain } from '../../../test/support/network/certificates'
import { settled } from '../../../test/support/settled'
import { until } from '../../../test/support/until'
import { createPostReceivers, local, request } from '../../../test/support/webhooks/post-receivers'
import { createDeadlines } from './deadlines'
import { createIsolatedThreads, ThreadEnded } from './isolated-threads'
import { createPost } from './post'

const { receiver, socketReceiver, stop } = createPostReceivers()
afterAll(stop)

const authority = await createAuthority('A test CA')
/** 39 KB: 120 ms of CPU. */
const long = await createExpensiveChain('long.test', 90)
/** As many as a handshake here may have. */
const short = await createExpensiveChain('short.test', 16)
const leaf = await authority.issue('valid.test', 'server', [{ type: 'dns', value: 'valid.test' }])

const ok = () => new Response('ok')
const at = (name: string, port: number | undefined, accountId: string) =>
  request(port, { url: new URL(`https://${name}:${port}/`), resolve: local, accountId })

/** How much of the CPU time of `work` this thread used. */
const shareOfThisThread = async (work: () => Promise<unknown>) => {
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()]
  await work()
  const { user, system } = process.threadCpuUsage(thread)
  const whole = process.cpuUsage(all)
  return (user + system) / (whole.user + whole.system)
}

test('a chain of expensive certificates is verified in another thread', async () => {
  const port = receiver(ok, [{ serverName: 'long.test', ...long }])
  const post = createPost({ ca: authority.cert })
  const send = () => post(at('long.test', port, 'hostile'))
  // Starts the thread.
  expect((await send()).error).toBe('TLS: self signed certificate in certificate chain')
  const share = await shareOfThisThread(async () => {
    for (let n = 0; n < 10; n++) await send()
  })
  expect(share).toBeLessThan(0.3)
})

test('beside attempts with expensive certificates, those of another account complete first', async () => {
  const port = receiver(ok, [{ serverName: 'long.test', ...long }])
  const healthy = receiver(ok, [{ serverName: 'valid.test', ...leaf }])
  const post = createPost({ ca: authority.cert })
  let completed = 0
  const hostile = Array.from({ length: 20 }, async () => {
    await post(at('long.test', port, 'hostile'))
    completed++
  })
  for (let n = 0; n < 5; n++)
    expect((await post(at('valid.test', healthy, 'healthy'))).httpStatus).toBe(200)
  expect(completed).toBeLessThan(10)
  await Promise.all(hostile)
})

test('after a failed handshake, the next ones with that host are in another thread', async () => {
  const port = receiver(ok, [{ serverName: 'short.test', ...short }])
  const post = createPost({ ca: authority.cert })
  const send = () => post(at('short.test', port, 'hostile'))
  for (let n = 0; n < 2; n++)
    expect((await send()).error).toBe('TLS: self signed certificate in certificate chain')
  const share = await shareOfThisThread(async () => {
    for (let n = 0; n < 20; n++) await send()
  })
  expect(share).toBeLessThan(0.4)
})

test('of many handshakes at the same time that fail, few are on the event loop of all attempts', async () => {
  const port = receiver(ok, [{ serverName: 'short.test', ...short }])
  const post = createPost({ ca: authority.cert })
  const share = await shareOfThisThread(() =>
    Promise.all(Array.from({ length: 40 }, () => post(at('short.test', port, 'hostile')))),
  )
  expect(share).toBeLessThan(0.5)
})

test('a receiver with a valid certificate and many others receives its delivery, on a connection that is kept', async () => {
  const ports = new Set<number | undefined>()
  const both = { cert: `${leaf.cert}\n${long.cert}`, key: leaf.key }
  const port = receiver(
    async (received, server) => {
      ports.add(server.requestIP(received)?.port)
      return new Response(`${received.headers.get('host')} ${await received.text()}`)
    },
    [{ serverName: 'valid.test', ...both }],
  )
  const post = createPost({ ca: authority.cert })
  for (let n = 0; n < 3; n++)
    expect(await post(at('valid.test', port, 'a'))).toEqual({
      httpStatus: 200,
      responseBody: `valid.test:${port} {"é":1}`,
      error: null,
    })
  // One ended before the certificates were read.
  expect(ports.size).toBe(1)
})

test('a request in another thread has the same deadline and the same cancellation', async () => {
  const port = receiver(
    () => new Promise<Response>(() => {}),
    [{ serverName: 'valid.test', cert: `${leaf.cert}\n${long.cert}`, key: leaf.key }],
  )
  const post = createPost({ ca: authority.cert, timeoutMs: 600 })
  expect((await post(at('valid.test', port, 'a'))).error).toBe('timed out after 0.6 s')
  const caller = new AbortController()
  const sent = post({ ...at('valid.test', port, 'a'), signal: caller.signal })
  setTimeout(() => caller.abort(new Error('cancelled')), 100)
  expect(await settled(sent)).toThrow('cancelled')
})

const start = createDeadlines(60_000)
const never = new AbortController().signal
const sendIn =
  (threads: ReturnType<typeof createIsolatedThreads>) =>
  async (accountId: string, url: string, body = '', signal = never) =>
    threads.send(
      accountId,
      { url: new URL(url), address: await local(), headers: {}, body },
      start(signal),
    )

test('in a thread that two accounts share, neither waits for all handshakes of the other', async () => {
  const silent = await socketReceiver(() => {})
  const port = receiver(ok, [{ serverName: 'long.test', ...long }])
  const healthy = receiver(ok, [{ serverName: 'valid.test', ...leaf }])
  const send = sendIn(createIsolatedThreads({ timeoutMs: 60_000, ca: authority.cert }))
  const end = new AbortController()
  // The other threads have more requests.
  const others = ['a', 'b', 'c'].flatMap(account =>
    Array.from({ length: 21 }, () =>
      send(account, `http://silent.test:${silent}/`, '', end.signal).catch(() => 'ended'),
    ),
  )
  let completed = 0
  const hostile = Array.from({ length: 20 }, async () => {
    await send('hostile', `https://long.test:${port}/`)
    completed++
  })
  await until('the first is complete', () => completed > 0)
  for (let n = 0; n < 2; n++) {
    const { outcome } = await send('healthy', `https://valid.test:${healthy}/`)
    expect(outcome.httpStatus).toBe(200)
  }
  expect(completed).toBeLessThan(15)
  end.abort(new Error('done'))
  await Promise.all([...hostile, ...others])
})

/** Threads that run `code` for each message. */
const withThreads = async <T>(
  code: string,
  work: (threads: ReturnType<typeof createIsolatedThreads>, file: string) => Promise<T>,
): Promise<T> => {
  const file = join(tmpdir(), `thread-${crypto.randomUUID()}.ts`)
  await Bun.write(
    file,
    `import { parentPort, threadId, workerData } from 'node:worker_threads'
    parentPort.on('message', ({ id, body, end }) => {
      const post = responseBody =>
        parentPort.postMessage({ id, outcome: { httpStatus: 200, responseBody }, isHandshakeError: false })
      ${code}
    })`,
  )
  try {
    return await work(createIsolatedThreads({ timeoutMs: 5_000 }, file), file)
  } finally {
    await rm(file)
  }
}

test('an account leaves a thread that only others use when there is a better one', async () => {
  await withThreads("if (body !== 'wait') post(String(threadId))", async threads => {
    const send = sendIn(threads)
    const threadOf = async (account: string) => (await send(account, 'http://a.test/')).outcome
    const ends = ['a', 'b', 'c', 'd'].map(account => {
      const end = new AbortController()
      const waiting = send(account, 'http://a.test/', 'wait', end.signal)
      return () => {
        end.abort()
        return waiting
      }
    })
    const shared = await threadOf('e')
    expect(await threadOf('a')).toEqual(shared)
    await ends[1]?.()
    expect(await threadOf('e')).not.toEqual(shared)
    expect(await threadOf('e')).toEqual(await threadOf('b'))
    for (const end of ends) await end()
  })
})

test('a thread reads the name servers itself, and gets those that the process changed with their zones', async () => {
  // A process of its own: others in this one change the name servers.
  const serversAfter = (change: string) =>
    withThreads('post(JSON.stringify(workerData.servers ?? null))', async (_, file) => {
      const script = `import { setNameServers } from '${import.meta.dir}/dns'
        import { createIsolatedThreads } from '${import.meta.dir}/isolated-threads'
        ${change}
        const request = { url: new URL('http://a.test/'), headers: {}, body: '' }
        const { outcome } = await createIsolatedThreads({ timeoutMs: 5_000 }, '${file}')
          .send('a', request, { onTimeout: () => {} })
        console.log(outcome.responseBody)
        process.exit()`
      const run = Bun.spawn([process.execPath, '-e', script])
      return JSON.parse(await new Response(run.stdout).text())
    })
  expect(await serversAfter('')).toBeNull()
  expect(await serversAfter("setNameServers(['fe80::1%eth0'])")).toEqual(['fe80::1%eth0'])
})

test('when a thread ends, its attempts are infrastructure errors, and the next ones have another thread', async () => {
  await withThreads("body === 'exit' ? process.exit(1) : post('')", async threads => {
    const send = sendIn(threads)
    expect(await settled(send('a', 'https://a.test/', 'exit'))).toThrow(ThreadEnded)
    expect(await send('a', 'https://a.test/')).toMatchObject({ outcome: { httpStatus: 200 } })
  })
})

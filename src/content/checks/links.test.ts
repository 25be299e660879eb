import { afterAll, expect, test } from 'bun:test'
import { createExpensiveChain } from '../../../test/support/network/certificates'
import { createPostReceivers } from '../../../test/support/webhooks/post-receivers'
import { createPost } from '../../webhooks/transport/post'
import { limitLinkChecks } from './link-rate'
import { createLinkCheck, LINKS_TIMEOUT_MS } from './links'

/** What the servers of links can do to the process that checks them. */

const { receiver, socketReceiver, stop } = createPostReceivers()
afterAll(stop)

const checkLinks = createLinkCheck({
  post: createPost({ timeoutMs: LINKS_TIMEOUT_MS }),
  rules: { allowPrivate: true },
})
const check = (port: number | undefined, paths = ['/']) =>
  checkLinks(
    'acc_test',
    paths.map(path => `http://127.0.0.1:${port}${path}`),
  )

test('ends when a server switches protocols', async () => {
  const port = await socketReceiver(socket =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  )
  expect((await check(port))?.message).toBe('The link responds.')
})

test('ends when a server sends headers or early hints without end', async () => {
  const port = await socketReceiver(socket => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(1_000)
    while (!socket.destroyed && socket.write(hints));
  })
  expect((await check(port))?.message).toContain('the headers of the response are too large')
})

test('reads no body, and waits for none', async () => {
  const port = await socketReceiver(socket =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n'),
  )
  expect((await check(port, ['/a', '/b']))?.message).toBe('All 2 links respond.')
})

test('sends no credentials of a link', async () => {
  let authorization: string | null = 'none'
  const port = receiver(request => {
    authorization = request.headers.get('authorization')
    return new Response('ok')
  })
  await checkLinks('acc_test', [`http://user:password@127.0.0.1:${port}/`])
  expect(authorization).toBeNull()
})

test('shows no text of a redirect', async () => {
  const port = await socketReceiver(socket =>
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${'a'.repeat(10_000)}:x\r\n\r\n`),
  )
  expect((await check(port))?.message).toContain('(a redirect to what is not a page)')
})

test('sends at most 60 requests, also where each link is a redirect', async () => {
  let requests = 0
  const port = receiver(({ method, url }) => {
    requests++
    return method === 'HEAD'
      ? new Response('', { status: 405 })
      : Response.redirect(`${url}/again`, 302)
  })
  const paths = Array.from({ length: 20 }, (_, n) => `/${n}`)
  expect((await check(port, paths))?.message).toContain('because the others took 60 requests')
  expect(requests).toBe(60)
})

test('verifies expensive certificates in another thread', async () => {
  const chain = await createExpensiveChain('localhost', 90)
  const port = receiver(() => new Response('ok'), [{ serverName: 'localhost', ...chain }])
  const links = Array.from({ length: 10 }, (_, n) => `https://localhost:${port}/${n}`)
  // Starts the thread.
  await checkLinks('acc_test', links.slice(0, 1))
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()]
  const result = await checkLinks('acc_test', links)
  const own = process.threadCpuUsage(thread)
  const total = process.cpuUsage(all)
  expect(result?.message).toContain('self signed certificate')
  expect((own.user + own.system) / (total.user + total.system)).toBeLessThan(0.3)
})

test('an account checks the links of 60 articles in ten minutes, and another account its own', () => {
  let now = 0
  const count = limitLinkChecks(() => now)
  for (let n = 0; n < 60; n++) count('acc_a')
  expect(() => count('acc_a')).toThrow(/links of 60 articles/)
  count('acc_b')
  now = 600_000
  count('acc_a')
})

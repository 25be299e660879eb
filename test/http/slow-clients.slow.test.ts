import { afterAll, expect, test } from 'bun:test'
import net, { type Socket } from 'node:net'
import { useArden } from '../support/arden'
import { spawnArden } from '../support/process'
import { LATE_MS, until } from '../support/until'

const sockets = new Set<Socket>()

afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await serve.kill('SIGTERM')
})
const arden = await useArden({})
const serve = await spawnArden('serve', arden.env)
const key = (await arden.key()).key

/** What a client that writes `first`, and then `again` each `everyMs`, receives until it is disconnected. */
const slowly = async (first: string, again?: string, everyMs = 1000) => {
  const began = performance.now()
  const socket = await open(first)
  const timer = again && setInterval(() => socket.write(again), everyMs)
  let response = ''
  socket.on('data', data => {
    response += data
  })
  await new Promise(resolve => socket.once('close', resolve))
  clearInterval(timer || undefined)
  return { response, seconds: (performance.now() - began) / 1000 }
}

const open = (first: string) =>
  new Promise<Socket>((resolve, reject) => {
    const { hostname, port } = new URL(serve.url)
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(first)
      resolve(socket)
    })
    sockets.add(socket)
    socket.on('error', reject)
    socket.on('close', () => sockets.delete(socket))
  })

const head = (more: string) =>
  `POST /api/public/v1/projects HTTP/1.1\r\nHost: arden\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${more}\r\n`

const memoryMiB = () => {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(serve.pid)])
  return Number(stdout.toString()) / 1024
}

const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`

/** Sends chunks of 64 KiB, 10 MiB in all unless it is cut before. */
const flood = async (first: string) => {
  const socket = await open(first)
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.resume()
  let sent = 0
  while (sent < 160 && !socket.destroyed)
    if (!socket.write(CHUNK, () => sent++))
      await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))])
  await Promise.race([closed, Bun.sleep(100)])
  socket.destroy()
}

test.concurrent('a body that comes too slowly is a 408, and the connection is closed', async () => {
  const [length, chunked] = await Promise.all([
    slowly(head('Content-Length: 100\r\n'), 'x'),
    slowly(head('Transfer-Encoding: chunked\r\n'), '1\r\nx\r\n'),
  ])
  for (const { response, seconds } of [length, chunked]) {
    expect(response).toStartWith('HTTP/1.1 408 ')
    expect(response).toContain('"error":"REQUEST_TIMEOUT"')
    expect(seconds).toBeWithin(29, 36 + LATE_MS / 1000)
  }
})

test.concurrent('the head of a request has some seconds to come, however it trickles', async () => {
  const cut = await Promise.all([
    slowly('GET /healthz HTTP/1.1\r\nHost: arden\r\nX-A: ', 'x'),
    slowly('GET /healthz HTTP/1.1\r\nHost: arden\r\n', 'X-A: b\r\n'),
    slowly(''),
  ])
  for (const { response, seconds } of cut) {
    expect(response).toBe('')
    expect(seconds).toBeLessThan(25 + LATE_MS / 1000)
  }
})

test.concurrent('200 bodies that are too large and 200 half requests cost no memory, and others get their response', async () => {
  const known = head('Transfer-Encoding: chunked\r\n')
  for (let i = 0; i < 20; i++) await flood(known)
  const before = memoryMiB()
  for (let i = 0; i < 5; i++) {
    await twenty(() => flood(known))
    // Of whom we do not know, nothing is kept either.
    await twenty(() => flood(known.replace(key, `${key}x`)))
    expect(memoryMiB()).toBeLessThan(before + 150)
  }
  await Promise.all(
    Array.from({ length: 200 }, () => open('POST /api/public/v1/projects HTTP/1.1\r\nX-A: ')),
  )
  expect((await fetch(`${serve.url}/healthz`)).status).toBe(200)
  // 200 bodies of 10 MiB would be 2 GiB; what stays is the collector's slack.
  await until('memory is back', () => memoryMiB() < before + 60)
})

const twenty = (work: () => Promise<void>) => Promise.all(Array.from({ length: 20 }, work))

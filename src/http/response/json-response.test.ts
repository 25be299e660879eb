import { afterAll, beforeAll, expect, test } from 'bun:test'
import net from 'node:net'
import { Elysia } from 'elysia'
import { type HttpServer, startHttpServer } from '../server'
import { createJsonResponse } from './json-response'
import { createUnreadLimit } from './unread-limit'

/** The body of the route, which responds asynchronously like all that query PostgreSQL. */
let payload: { data: string }
let server: HttpServer

beforeAll(() => {
  const app = new Elysia()
    .onAfterHandle(createJsonResponse(createUnreadLimit()))
    .get('/', async ({ set }) => {
      await Bun.sleep(1)
      set.status = 201
      set.headers['x-own'] = 'kept'
      return payload
    })
  server = startHttpServer(app, { host: '127.0.0.1', port: 0, setting: 'PORT' })
})
afterAll(() => server.stop())

test.each([
  ['a small one', 'a'.repeat(100)],
  ['one of 15 KiB of ASCII', 'a'.repeat(15_360)],
  ['one that is that long only in UTF-8', '日'.repeat(6_000)],
  ['one of Latin characters', 'é'.repeat(20_000)],
  ['one of emoji', '☕️🫖'.repeat(10_000)],
  ['one of 5 MB', 'a'.repeat(5_000_000)],
])('a response arrives complete, with its length, status and headers: %s', async (_, data) => {
  payload = { data }
  const response = await fetch(server.url)
  const bytes = await response.arrayBuffer()
  expect(response.status).toBe(201)
  expect(response.headers.get('x-own')).toBe('kept')
  expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8')
  expect(response.headers.get('content-length')).toBe(String(bytes.byteLength))
  expect(JSON.parse(Buffer.from(bytes).toString()) as unknown).toEqual(payload)
})

test('a large response waits for a reader that pauses, and arrives complete', async () => {
  payload = { data: 'é'.repeat(5_000_000) }
  const { hostname, port } = new URL(server.url)
  const socket = net.connect(Number(port), hostname)
  socket.write('GET / HTTP/1.1\r\nHost: arden\r\nConnection: close\r\n\r\n')
  let bytes = 0
  let head = ''
  socket.on('data', (chunk: Buffer) => {
    head ||= chunk.toString('latin1').split('\r\n\r\n')[0] ?? ''
    bytes += chunk.byteLength
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  await new Promise(resolve => socket.once('close', resolve))
  expect(head).toContain('Content-Length: 10000011')
  expect(bytes - head.length - 4).toBe(10_000_011)
})

test('HEAD has no body, whatever its size', async () => {
  payload = { data: 'a'.repeat(100_000) }
  const response = await fetch(server.url, { method: 'HEAD' })
  expect(response.status).toBe(201)
  expect(await response.text()).toBe('')
})

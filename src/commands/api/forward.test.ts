import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { forward, forwardUrl } from './forward'

test.each([
  ['4000', 'http://localhost:4000'],
  ['4000/hook', 'http://localhost:4000/hook'],
  ['localhost:4000/hook', 'http://localhost:4000/hook'],
  ['example.com', 'http://example.com'],
  ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ['https://localhost:4000/hook', 'https://localhost:4000/hook'],
])('%p is forwarded to %p', (target, url) => {
  expect(forwardUrl(target)).toBe(url)
})

test('an event is sent on a connection of its own: a program may close the one of the event before', async () => {
  const program = createServer(socket => {
    socket.on('error', () => {})
    let request = ''
    socket.on('data', data => {
      // What comes on this connection after a response is lost.
      if (request.endsWith('{}')) return socket.resetAndDestroy()
      request += data
      if (request.endsWith('{}'))
        socket.write('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(program, 'listening')
  const address = program.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`
  const event = { event: { event: 'article.created' as const }, body: '{}' }
  for (let n = 0; n < 3; n++) {
    const result = await forward(url, event, 'a'.repeat(64), new AbortController().signal)
    expect(result).toMatchObject({ status: 500, error: null })
  }
  program.close()
})

import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { until } from '../../../test/support/until'
import { toEventStream } from './event-stream'

test('disconnects a client that reads nothing, and buffers nothing for it', async () => {
  const piece = `: ${'x'.repeat(64 * 1024)}\n\n`
  let pieces = 0
  let ended = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      toEventStream(
        {
          opening: ': open\n\n',
          next: async () => {
            pieces++
            return piece
          },
          onEnd: () => {
            ended++
          },
        },
        500,
      ),
  })
  const socket = connect(server.port ?? 0, '127.0.0.1')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until('it is disconnected', () => ended > 0, 20)
  // Only what the socket buffers of the kernel hold.
  expect(pieces).toBeLessThan(500)
  const piecesBefore = pieces
  const closed = new Promise(resolve => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.resume()
  await closed
  expect(pieces).toBe(piecesBefore)
  await server.stop(true)
})

test('ends the stream once when its source fails', async () => {
  let ended = 0
  const response = toEventStream({
    opening: ': open\n\n',
    next: () => Promise.reject(new Error('away')),
    onEnd: () => {
      ended++
    },
  })
  expect(await response.text()).toBe(': open\n\n')
  expect(ended).toBe(1)
})

import { expect, test } from 'bun:test'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { useArden } from '../support/arden'
import { runArden } from '../support/process'

/** A Temporal whose store is away: it says what it is, and all else is UNAVAILABLE. */
const startStoreless = async () => {
  const server = http2.createServer()
  server.on('stream', (stream: http2.ServerHttp2Stream, { ':path': path }) => {
    const isKnown = path?.endsWith('/GetSystemInfo') === true
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': isKnown ? '0' : '14' }))
    // An empty message.
    stream.end(isKnown ? Buffer.alloc(5) : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, stop: () => void server.close() }
}

test('`arden migrate` ends where Temporal responds and its store is away', async () => {
  const arden = await useArden({})
  const temporal = await startStoreless()
  const { code, stdout, stderr } = await runArden(['migrate'], {
    ...arden.env,
    TEMPORAL_ADDRESS: temporal.address,
  })
  expect([code, stdout]).toEqual([0, 'There is nothing to apply.\n'])
  expect(stderr).toContain(`Temporal at ${temporal.address} cannot be reached, or its store cannot`)
  temporal.stop()
})

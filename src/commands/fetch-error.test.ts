import { expect, test } from 'bun:test'
import { createAuthority } from '../../test/support/network/certificates'
import { startReceiver } from '../../test/support/receiver'
import { describeFetchError } from './fetch-error'

const errorOf = async (url: string, signal?: AbortSignal): Promise<string> => {
  try {
    await fetch(url, { signal: signal ?? null })
  } catch (error) {
    return describeFetchError(error)
  }
  throw new Error(`${url} responded`)
}

test('a failed request is described as a failed delivery is', async () => {
  const closed = startReceiver()
  closed.stop()
  expect(await errorOf(closed.url)).toBe('connection refused')
  expect(await errorOf('http://no-such-host.invalid')).toBe('the name does not resolve')
  using silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: socket => void socket.end() },
  })
  expect(await errorOf(`http://127.0.0.1:${silent.port}`)).toBe('connection reset')
  using other = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: socket => void socket.write('this is not http\r\n\r\n') },
  })
  expect(await errorOf(`http://127.0.0.1:${other.port}`)).toBe('the response is not valid HTTP')
  expect(await errorOf(`https://127.0.0.1:${other.port}`)).toBe(
    'TLS: the handshake failed; the server may not speak TLS on this port',
  )
})

test('for a certificate of a private authority, says how it is trusted', async () => {
  const authority = await createAuthority('Authority of the company')
  const names = [{ type: 'ip', value: '127.0.0.1' }] as const
  const tls = await authority.issue('arden', 'server', [...names])
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: () => new Response() })
  expect(await errorOf(server.url.href)).toMatch(
    /^TLS: .*\. If an authority of your own .* NODE_EXTRA_CA_CERTS to the file of that authority; otherwise .*[^.]$/,
  )
})

test('a timeout says so', async () => {
  const receiver = startReceiver(() => new Promise(() => {}))
  expect(await errorOf(receiver.url, AbortSignal.timeout(20))).toBe('timed out')
  receiver.stop()
})

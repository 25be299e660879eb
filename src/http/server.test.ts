import { expect, test } from 'bun:test'
import { startHttpServer } from './server'

test.each(['999.1.1.1', 'no-such-host.invalid', '203.0.113.1'])(
  'a HOST that is no address of this machine is refused in words: %s',
  host => {
    const app = { fetch: () => new Response(), server: null }
    // The error of Bun for a name depends on the call of the system that failed before.
    for (const port of [0, 4_465])
      expect(() => startHttpServer(app, { host, port, setting: 'PORT' })).toThrow(
        `${host} is not an address of this machine`,
      )
  },
)

test.each(['::1', '[::1]'])('an IPv6 HOST is shown in brackets once: %s', async host => {
  const app = { fetch: () => new Response(), server: null }
  const server = startHttpServer(app, { host, port: 0, setting: 'PORT' })
  try {
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(server.url)).status).toBe(200)
  } finally {
    await server.stop()
  }
})

import { expect, test } from 'bun:test'
import { startHttpServer } from './server'

test.each(['999.1.1.1', 'no-such-host.invalid', '203.0.113.1'])(
  'a HOST that is no address of this machine is refused in words: %s',
  host => {
    const app = { fetch: () => new Response(), server: null }
    expect(() => startHttpServer(app, { host, port: 0, setting: 'PORT' })).toThrow(
      `Cannot listen on ${host}:0: ${host} is not an address of this machine. Check HOST`,
    )
  },
)

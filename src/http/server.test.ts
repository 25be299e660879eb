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

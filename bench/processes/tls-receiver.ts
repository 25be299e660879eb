/** Receivers over TLS and without, and a name server for their names, in a process of their own. */
import dns from 'node:dns'
import { createAuthority } from '../../test/support/network/certificates'
import { startNameServer } from '../../test/support/network/name-server'
import { handleJobs } from '../parts/child'

/** `receiver-<n>.<domain>` is a receiver, for every n; `ca` has issued their certificate. */
export type TlsReceiver = {
  domain: string
  httpPort: number
  httpsPort: number
  ca: string
  nameServer: string
}

const DOMAIN = 'bench.test'
const IDLE_TIMEOUT_S = 120

const authority = await createAuthority('bench')
const certificate = await authority.issue(DOMAIN, 'server', [{ type: 'dns', value: `*.${DOMAIN}` }])
const serve = (tls?: typeof certificate) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: IDLE_TIMEOUT_S,
    ...(tls && { tls }),
    fetch: async request => {
      await request.arrayBuffer()
      return new Response('ok')
    },
  }).port ?? 0
const [httpPort, httpsPort] = [serve(), serve(certificate)]
await startNameServer((_, type) => (type === 'A' ? ['127.0.0.1'] : []))
const [nameServer = ''] = dns.getServers()

handleJobs<'where', TlsReceiver>(async () => ({
  domain: DOMAIN,
  httpPort,
  httpsPort,
  ca: authority.cert,
  nameServer,
}))

import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../../src/db/connect'
import { startPostgres } from '../../../src/local/postgres/server'
import { databaseUrl } from '../database'
import type { CertificateFiles } from '../network/certificate-files'
import { until } from '../until'

/**
 * Whom the databases of the server let in: `secure` who uses TLS, `certified` who also shows a certificate
 * that names its user, `open` who does not use TLS.
 */
const ACCESS = {
  secure: 'hostssl secure all all scram-sha-256',
  certified: 'hostssl certified all all scram-sha-256 clientcert=verify-full',
  open: 'hostnossl open all all scram-sha-256',
} as const

/** The server's own databases: anybody with a password. */
const OTHERS = 'host arden,postgres,template1 all all scram-sha-256'

/** A real PostgreSQL with TLS, in the folder of its certificates: it trusts those of its own authority. */
export const startPostgresWithTls = async ({ dir, own, authority }: CertificateFiles) => {
  chmodSync(dir, 0o711) // The server may run as another user.
  const folder = join(dir, 'postgres')
  const postgres = await startPostgres({ dir: folder, durable: false })
  const admin = connect(postgres.adminUrl, { name: 'test', max: 1 })
  const data = join(folder, 'data')
  const { uid, gid } = statSync(data)
  const write = (name: string, text: string) => {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    chownSync(join(data, name), uid, gid)
  }
  write('server.crt', own.cert)
  write('server.key', own.key)
  write('root.crt', authority.cert)
  write('pg_hba.conf', [...Object.values(ACCESS), OTHERS, ''].join('\n'))
  for (const name of Object.keys(ACCESS)) await admin`CREATE DATABASE ${admin(name)} OWNER arden`
  await admin`ALTER SYSTEM SET ssl_ca_file = 'root.crt'`
  await admin`ALTER SYSTEM SET ssl = on`
  await admin`SELECT pg_reload_conf()`
  await until('the server has read its settings', async () => {
    const [row] = await admin`SHOW ssl`
    return row?.ssl === 'on'
  })
  await admin.end()
  return {
    /** Without TLS parameters. */
    url: (name: keyof typeof ACCESS) => databaseUrl(postgres.url, name),
    stop: postgres.stop,
  }
}

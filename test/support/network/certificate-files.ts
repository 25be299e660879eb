import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority, type Pair } from './certificates'

/**
 * What a test of TLS needs, in a folder of its own: the authority `root.crt`, the certificate `arden` for
 * the user of that name; the authority `stranger.crt`, which no client trusts, and `forged` of it, in the same
 * name; `nonsense.crt`. `own` is the server's, for 127.0.0.1 and server.arden.test.
 */
export const createCertificateFiles = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'arden-tls-'))
  const path = (name: string) => join(dir, name)
  const [authority, stranger] = await Promise.all([
    createAuthority('Arden test authority'),
    createAuthority('Another authority'),
  ])
  const own: Pair = await authority.issue('server', 'server', [
    { type: 'ip', value: '127.0.0.1' },
    { type: 'dns', value: 'server.arden.test' },
  ])
  const arden = await authority.issue('arden', 'client')
  const forged = await stranger.issue('arden', 'client')
  const files = {
    'root.crt': authority.cert,
    'stranger.crt': stranger.cert,
    'arden.crt': arden.cert,
    'arden.key': arden.key,
    'forged.crt': forged.cert,
    'forged.key': forged.key,
    'nonsense.crt': 'nonsense',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text, { mode: 0o600 })
  return {
    dir,
    path,
    authority,
    arden,
    own,
    /** `text` without the folder's name, which differs each time. */
    withoutDir: (text: string) => text.replaceAll(dir, ''),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export type CertificateFiles = Awaited<ReturnType<typeof createCertificateFiles>>

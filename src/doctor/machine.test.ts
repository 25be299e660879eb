import { expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthority } from '../../test/support/network/certificates'
import { readSettings } from './machine'

test('a file of NODE_EXTRA_CA_CERTS that has no effect is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arden-ca-'))
  const [empty, ca] = ['empty', 'ca.crt'].map(name => join(folder, name)) as [string, string]
  await Bun.write(empty, 'not PEM')
  await Bun.write(ca, (await createAuthority('Company')).cert)
  const found = (NODE_EXTRA_CA_CERTS: string) => readSettings({ NODE_EXTRA_CA_CERTS }).checks[0]
  expect(found(join(folder, 'none'))).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('no such file'),
  })
  expect(found(empty)?.found).toEndWith('/empty has no certificate in PEM.')
  expect(found(ca)?.status).toBe('ok')
})

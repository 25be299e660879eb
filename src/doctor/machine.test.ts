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
  const pem = await Bun.file(ca).text()
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  const files: [text: string, found: string][] = [
    [pem.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'), 'All settings are valid.'],
    [pem + pem.replaceAll('\n', '\r\n'), 'All settings are valid.'],
    [
      pem.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
      `the certificate in ${ca} cannot be read.`,
    ],
    [broken, `the certificate in ${ca} cannot be read.`],
    [pem + broken, `certificate 2 in ${ca} cannot be read.`],
    [pem.slice(0, 200), `the certificate in ${ca} cannot be read.`],
  ]
  for (const [text, end] of files) {
    await Bun.write(ca, text)
    expect(found(ca)?.found).toEndWith(end)
  }
})

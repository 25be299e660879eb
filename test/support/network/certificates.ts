import 'reflect-metadata' // What the next import is built on looks for it.
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its key, each as PEM. */
export type Pair = { cert: string; key: string }

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000
const USAGE = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/**
 * A chain of `length` certificates of P-521, the most expensive ones to verify, and the key of its first, which is for
 * `name`. Its last one signs itself.
 */
export const createExpensiveChain = async (name: string, length: number): Promise<Pair> => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' }
  const keys = await Promise.all(
    Array.from({ length }, () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])),
  )
  const certificates = keys.map(async ({ publicKey }, at) => {
    const by = Math.min(at + 1, length - 1)
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=c${at}`,
      issuer: `CN=c${by}`,
      publicKey,
      signingKey: (keys[by] as CryptoKeyPair).privateKey,
      signingAlgorithm: algorithm,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions: [
        new BasicConstraintsExtension(at > 0, undefined, true),
        ...(at === 0 ? [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])] : []),
      ],
    })
    return certificate.toString('pem')
  })
  const { privateKey } = keys[0] as CryptoKeyPair
  const key = await crypto.subtle.exportKey('pkcs8', privateKey)
  return {
    cert: (await Promise.all(certificates)).join('\n'),
    key: PemConverter.encode(key, 'PRIVATE KEY'),
  }
}

/** A certificate authority of its own. `issue` makes certificates that are valid from now, for a day. */
export const createAuthority = async (name: string) => {
  const root = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const issuer = `CN=${name}`
  const create = async (
    subject: string,
    publicKey: CryptoKey,
    extensions: Extension[],
  ): Promise<X509Certificate> =>
    X509CertificateGenerator.create({
      subject,
      issuer,
      publicKey,
      signingKey: root.privateKey,
      signingAlgorithm: ALGORITHM,
      // Machines that compare notes may be some seconds apart.
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions,
    })
  const own = await create(issuer, root.publicKey, [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ])

  const issue = async (
    commonName: string,
    usage: keyof typeof USAGE,
    names: { type: 'dns' | 'ip'; value: string }[] = [],
  ): Promise<Pair> => {
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
    const certificate = await create(`CN=${commonName}`, keys.publicKey, [
      new BasicConstraintsExtension(false),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([USAGE[usage]]),
      ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
    ])
    return {
      cert: certificate.toString('pem'),
      key: PemConverter.encode(
        await crypto.subtle.exportKey('pkcs8', keys.privateKey),
        'PRIVATE KEY',
      ),
    }
  }
  return { cert: own.toString('pem'), issue }
}

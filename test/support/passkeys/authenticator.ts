import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Assertion, Registration } from '../../../src/people/passkeys/schema'

/** What an authenticator says; a test changes some of it. */
type Claims = { origin: string; host: string; isVerified: boolean; counter: number; type?: string }

/**
 * A passkey, as an authenticator and a browser hold it: it makes the responses of WebAuthn for a challenge. Chromium's
 * own is in test/dashboard/passkeys.slow.test.ts; this one can also lie.
 */
export const createAuthenticator = (site: { origin: string; host: string }) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const claims = (changes: Partial<Claims>): Claims => ({
    ...site,
    isVerified: true,
    counter: 0,
    ...changes,
  })
  const clientData = (type: string, challenge: string, { origin, ...given }: Claims) =>
    Buffer.from(JSON.stringify({ type: given.type ?? type, challenge, origin, crossOrigin: false }))
  return {
    /** The response to `navigator.credentials.create`. */
    register: (challenge: string, changes: Partial<Claims> = {}): Omit<Registration, 'name'> => {
      const given = claims(changes)
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key = Buffer.concat([
        // A map of CBOR: an EC2 key for ES256 on P-256, with its coordinates.
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ])
      const idLength = Buffer.from([0, id.length])
      const credential = Buffer.concat([Buffer.alloc(16), idLength, id, key])
      const data = Buffer.concat([authenticatorData(given, true), credential])
      return {
        id: id.toString('base64url'),
        client_data: clientData('webauthn.create', challenge, given).toString('base64url'),
        attestation: Buffer.concat([
          // {"fmt": "none", "attStmt": {}, "authData": <bytes>}
          Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
          Buffer.from([data.length]),
          data,
        ]).toString('base64url'),
        transports: ['internal'],
      }
    },
    /** The response to `navigator.credentials.get`. */
    use: (challenge: string, changes: Partial<Claims> = {}): Assertion => {
      const given = claims(changes)
      const client = clientData('webauthn.get', challenge, given)
      const data = authenticatorData(given, false)
      const signed = Buffer.concat([data, sha256(client)])
      return {
        id: id.toString('base64url'),
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      }
    },
  }
}

/** The site, the flags (present, verified, with a credential) and the counter. */
const authenticatorData = ({ host, isVerified, counter }: Claims, hasCredential: boolean) => {
  const rest = Buffer.alloc(5)
  rest[0] = 0b1 | (isVerified ? 0b100 : 0) | (hasCredential ? 0b100_0000 : 0)
  rest.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(Buffer.from(host)), rest])
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

import type {
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { conflict, DomainError } from '../../errors'
import type { Assertion, Registration } from './schema'

/** WebAuthn, by its library: options for the browser, and the checks of its responses (contract 3.22). */

/** The site that passkeys belong to: `id` is its host name. */
export type RelyingParty = { id: string; origin: string }

/** @throws {DomainError} CONFLICT where the site has no host name. */
export const relyingPartyOf = (origin: string): RelyingParty => {
  const { hostname } = new URL(origin)
  if (/^[\d.]+$|^\[/.test(hostname))
    throw conflict(
      'Passkeys need a host name. Open the dashboard by its name, such as http://localhost, instead of its address.',
    )
  return { id: hostname, origin }
}

type StoredKey = {
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
}

type NewPasskey = {
  challenge: string
  person: { id: string; email: string }
  /** Passkeys that the person has: an authenticator with one of them is not offered. */
  existing: readonly Pick<StoredKey, 'credential_id' | 'transports'>[]
}

/** For `navigator.credentials.create`. */
export const registrationOptions = async (
  { id }: RelyingParty,
  { challenge, person, existing }: NewPasskey,
): Promise<PublicKeyCredentialCreationOptionsJSON> => {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpName: 'Arden',
    rpID: id,
    userName: person.email,
    userID: new TextEncoder().encode(person.id),
    challenge: Buffer.from(challenge, 'base64url'),
    excludeCredentials: existing.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: transports as AuthenticatorTransport[],
    })),
    // Found by the authenticator without an email address, and unlocked by a PIN or a finger.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** For `navigator.credentials.get`: any passkey of the site, so that no user is named. */
export const assertionOptions = async (
  { id }: RelyingParty,
  challenge: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> => {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: id,
    challenge: Buffer.from(challenge, 'base64url'),
    userVerification: 'required',
  })
}

type IsOwnChallenge = (challenge: string) => Promise<boolean>

/** The key of a new passkey. @throws {DomainError} UNAUTHORIZED */
export const verifyRegistration = async (
  { id, origin }: RelyingParty,
  registration: Registration,
  isOwnChallenge: IsOwnChallenge,
): Promise<StoredKey> => {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: registration.id,
      rawId: registration.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: registration.client_data,
        attestationObject: registration.attestation,
      },
    },
    expectedChallenge: isOwnChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(() => ({ verified: false, registrationInfo: undefined }))
  if (!verified || registrationInfo === undefined) throw notVerified()
  const { credential } = registrationInfo
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: registration.transports,
  }
}

/** The new counter of the passkey. @throws {DomainError} UNAUTHORIZED */
export const verifyAssertion = async (
  { id, origin }: RelyingParty,
  assertion: Assertion,
  key: StoredKey,
  isOwnChallenge: IsOwnChallenge,
): Promise<number> => {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { verified, counter } = await verifyAuthenticationResponse({
    response: {
      id: assertion.id,
      rawId: assertion.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: assertion.client_data,
        authenticatorData: assertion.authenticator_data,
        signature: assertion.signature,
      },
    },
    expectedChallenge: isOwnChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    credential: {
      id: key.credential_id,
      publicKey: new Uint8Array(key.public_key),
      counter: key.counter,
    },
    requireUserVerification: true,
  }).then(
    ({ verified, authenticationInfo }) => ({ verified, counter: authenticationInfo.newCounter }),
    () => ({ verified: false, counter: 0 }),
  )
  if (!verified) throw notVerified()
  return counter
}

/** The same for every reason, an unknown passkey included. */
export const notVerified = () =>
  new DomainError(
    'UNAUTHORIZED',
    'This passkey does not sign in here, or the request took too long. Try again, or sign in with your password.',
  )

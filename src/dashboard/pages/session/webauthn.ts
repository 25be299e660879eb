import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { Assertion, Registration } from '../../../people/passkeys/schema'

/** Passkeys in the browser. Its library is loaded when it is used, because most visits need none. */

/** Whether the browser can use passkeys at all; only over HTTPS or on localhost. */
export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in window

/** Creates a passkey. @throws {Error} with a text for the user when it is cancelled or not possible. */
export const createPasskey = async (
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
): Promise<Omit<Registration, 'name'>> => {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const { id, response } = await startRegistration({ optionsJSON }).catch(explain)
  return {
    id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    transports: response.transports ?? [],
  }
}

/** Uses a passkey of this site. @throws {Error} with a text for the user when it is cancelled or not possible. */
export const requestPasskey = async (
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
): Promise<Assertion> => {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { id, response } = await startAuthentication({ optionsJSON }).catch(explain)
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
  }
}

/** The texts of browsers are for developers. */
const explain = (error: unknown): never => {
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError')
    throw new Error('This device already has a passkey for your user.')
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new Error('The request was cancelled or timed out. Try again.')
  throw new Error('This browser cannot use a passkey here. Try another browser or device.')
}

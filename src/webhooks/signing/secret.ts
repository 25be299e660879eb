import { randomBytes } from 'node:crypto'
import type { Cipher } from './encryption'

/** What the `webhooks` row holds of its secrets, encrypted. */
export type StoredSecrets = {
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null
}

/** The secrets an attempt is signed with. `previous` only while a rotation's overlap lasts. */
export type SigningSecrets = { current: string; previous: string | null }

/** 64 hexadecimal characters from 256 random bits (contract 4.4). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** The secrets of the webhook `webhookId` at the moment `at`. @throws when they do not decrypt. */
export const signingSecrets = (
  cipher: Cipher,
  webhookId: string,
  stored: StoredSecrets,
  at: Date,
): SigningSecrets => ({
  current: cipher.decrypt(stored.secret, webhookId),
  previous:
    stored.previous_secret !== null &&
    stored.previous_secret_until !== null &&
    at < stored.previous_secret_until
      ? cipher.decrypt(stored.previous_secret, webhookId)
      : null,
})

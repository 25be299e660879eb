import { randomBytes } from 'node:crypto'
import type { Cipher } from './encryption'

/** The encrypted secrets of a row of `webhooks`. */
export type StoredSecrets = {
  secret: string
  /** Several, divided by spaces, after rotations during an overlap. */
  previous_secret: string | null
  previous_secret_until: Date | null
}

/** The secret of one of the two forms that `showSecret` shows; undefined for any other text. A file ends with a line break. */
export const readSecret = (given: string): string | undefined => {
  const text = given.trim()
  const [, base64] = /^whsec_(.*)$/.exec(text) ?? []
  const secret = base64 === undefined ? text : Buffer.from(base64, 'base64').toString()
  return /^[0-9a-f]{64}$/.test(secret) ? secret : undefined
}

/** The secrets that sign an attempt. `previous` are those of earlier rotations whose overlap runs, newest first (contract 4.5). */
export type SigningSecrets = { current: string; previous: readonly string[] }

/** 64 hexadecimal characters from 256 random bits (contract 4.4). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** The two members of a response that shows a secret: one key in two forms (contract 4.4). */
export const showSecret = (secret: string) => ({
  secret,
  standard_webhooks_secret: `whsec_${Buffer.from(secret).toString('base64')}`,
})

/** The secrets of a webhook at the time `at`. @throws when they do not decrypt. */
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
      ? stored.previous_secret.split(' ').map(one => cipher.decrypt(one, webhookId))
      : [],
})

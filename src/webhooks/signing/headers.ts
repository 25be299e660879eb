import { createHmac } from 'node:crypto'
import type { SigningSecrets } from './secret'

type SentAttempt = {
  deliveryId: string
  eventType: string
  /** The start of the attempt. */
  at: Date
}
type AttemptToSign = SentAttempt & { body: string; secrets: SigningSecrets }

/**
 * The signatures of one attempt (contract 4.9 and 4.10): HMACs of 32 bytes each, one after the other. The first is that
 * of `X-Webhook-Signature`, the others those of `webhook-signature`. All cover the exact text that is sent.
 */
export const signAttempt = ({
  deliveryId,
  at,
  body,
  secrets: { current, previous },
}: Omit<AttemptToSign, 'eventType'>): Buffer => {
  const signed = `${deliveryId}.${toSeconds(at)}.${body}`
  return Buffer.concat([
    hmac(current, body),
    hmac(current, signed),
    ...previous.map(secret => hmac(secret, signed)),
  ])
}

/** Signs an attempt, and returns all its headers. */
export const signedHeaders = (attempt: AttemptToSign): Record<string, string> =>
  attemptHeaders(attempt, signAttempt(attempt))

/**
 * The headers of one attempt (contract 4.8, 4.9 and 4.10). The record of a delivery derives them again (contract 5.1),
 * so a change applies to attempts of the past as well: keep the old value for those.
 */
export const attemptHeaders = (
  { deliveryId, eventType, at }: SentAttempt,
  signatures: Buffer,
): Record<string, string> => {
  const [ofBody = Buffer.alloc(0), ...standard] = splitSignatures(signatures)
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Arden-Webhook/1.0',
    'X-Webhook-Event': eventType,
    'X-Webhook-Delivery-Id': deliveryId,
    'X-Webhook-Timestamp': at.toISOString(),
    'X-Webhook-Signature': `sha256=${ofBody.toString('hex')}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': toSeconds(at),
    'webhook-signature': standard.map(one => `v1,${one.toString('base64')}`).join(' '),
  }
}

const HMAC_BYTES = 32

const splitSignatures = (signatures: Buffer) =>
  Array.from({ length: signatures.length / HMAC_BYTES }, (_, n) =>
    signatures.subarray(n * HMAC_BYTES, (n + 1) * HMAC_BYTES),
  )

const toSeconds = (at: Date) => String(Math.floor(at.getTime() / 1000))

/** The key is the ASCII text of the 64 characters, not the bytes that they encode (contract 4.4). */
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest()

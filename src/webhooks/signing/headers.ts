import { createHmac } from 'node:crypto'
import type { SigningSecrets } from './secret'

/**
 * The headers of one attempt, by name: those of contract 4.8, and those of Standard Webhooks beside
 * them (contract 4.10). Both signatures are made anew for each attempt over the very text that is sent.
 */
export const attemptHeaders = (attempt: {
  deliveryId: string
  eventType: string
  body: string
  secrets: SigningSecrets
  /** When this attempt begins. */
  at: Date
}): Record<string, string> => {
  const { deliveryId, body, secrets, at } = attempt
  const seconds = String(Math.floor(at.getTime() / 1000))
  const signed = `${deliveryId}.${seconds}.${body}`
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Arden-Webhook/1.0',
    'X-Webhook-Event': attempt.eventType,
    'X-Webhook-Delivery-Id': deliveryId,
    'X-Webhook-Timestamp': at.toISOString(),
    'X-Webhook-Signature': `sha256=${hmac(secrets.current, body).toString('hex')}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': seconds,
    'webhook-signature': [secrets.current, secrets.previous]
      .filter(secret => secret !== null)
      .map(secret => `v1,${hmac(secret, signed).toString('base64')}`)
      .join(' '),
  }
}

/** The key is the ASCII of the secret's 64 characters, not the bytes they stand for (contract 4.4). */
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest()

import { createHmac } from 'node:crypto'
import type { SigningSecrets } from './secret'

/** The headers of one attempt (contract 4.8, 4.9 and 4.10). Both signatures cover the exact text that is sent. */
export const attemptHeaders = (attempt: {
  deliveryId: string
  eventType: string
  body: string
  secrets: SigningSecrets
  /** The start of the attempt. */
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

/** The key is the ASCII text of the 64 characters, not the bytes that they encode (contract 4.4). */
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest()

import { type Bytes, concat, fromBase64, fromHex, toBytes } from './bytes.js'
import type { WebhookEvent } from './events.js'

/** Those of `fetch`, of Node, or a plain object; the case of names does not matter. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export type VerifyOptions = {
  /** Refuses what was signed longer ago, and what is dated that far ahead, in seconds. 300 is usual. */
  maxAgeSeconds?: number
}

/** Why a delivery is refused. Answer 401. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  constructor(
    readonly code: 'NO_SIGNATURE' | 'WRONG_SIGNATURE' | 'TOO_OLD' | 'NO_EVENT',
    message: string,
  ) {
    super(message)
  }
}

/** Arden sends two at most; each costs a pass over the body, and anyone may send some hundred. */
const SIGNATURES_MAX = 10

/**
 * The event of a genuine delivery. `rawBody` is what came, byte for byte, never parsed and written again.
 * `secret` is the 64 characters that creating or rotating the webhook showed, or their `whsec_` form; while
 * one is being replaced, give both.
 *
 * `webhook-signature` decides, which covers delivery id and time too; a request without it is judged by
 * `X-Webhook-Signature`, over the body alone, unless `maxAgeSeconds` is given. Signatures are compared by
 * WebCrypto, in constant time.
 * @throws {WebhookVerificationError} when it is not genuine, too old, or no event. @throws {TypeError} for a
 * body that was parsed, and for a secret that is none.
 */
export const verifyWebhook = async (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  { maxAgeSeconds }: VerifyOptions = {},
): Promise<WebhookEvent> => {
  const body = toBytes(rawBody)
  const keys = await importKeys(secret)
  const header = (name: string) => readHeader(headers, name)

  const signatures = header('webhook-signature')
  if (signatures !== undefined) {
    const timestamp = header('webhook-timestamp') ?? ''
    // `webhook-id` is the delivery id; that of the header by which receivers drop repetitions is checked.
    const signed = concat(toBytes(`${header('x-webhook-delivery-id')}.${timestamp}.`), body)
    await verifyAny(keys, signatures.split(' ', SIGNATURES_MAX).map(fromV1), signed)
    if (maxAgeSeconds !== undefined) checkAge(timestamp, maxAgeSeconds)
  } else {
    const signature = header('x-webhook-signature')
    if (signature === undefined || maxAgeSeconds !== undefined)
      throw new WebhookVerificationError(
        'NO_SIGNATURE',
        `The header ${signature === undefined ? 'X-Webhook-Signature' : 'webhook-signature, which tells the age,'} is missing.`,
      )
    await verifyAny(keys, [fromSha256(signature)], body)
  }
  return parse(body)
}

const verifyAny = async (
  keys: CryptoKey[],
  signatures: (Bytes | undefined)[],
  signed: Bytes,
): Promise<void> => {
  for (const signature of signatures)
    for (const key of keys)
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return
  throw new WebhookVerificationError(
    'WRONG_SIGNATURE',
    'The signature is not that of this body with this secret. Verify the raw body, with the secret of this webhook.',
  )
}

const checkAge = (timestamp: string, maxAgeSeconds: number) => {
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) <= maxAgeSeconds))
    throw new WebhookVerificationError(
      'TOO_OLD',
      `It was signed ${Math.round(age)} s ago; ${maxAgeSeconds} s are allowed. It may be a replay, or a clock is wrong.`,
    )
}

const parse = (body: Bytes): WebhookEvent => {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event?.event === 'string') return event
  } catch {
    // Told below.
  }
  throw new WebhookVerificationError('NO_EVENT', 'The body is genuine, but no event of Arden.')
}

const importKeys = (secret: string | readonly string[]): Promise<CryptoKey[]> => {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.some(one => !one))
    throw new TypeError('`secret` is empty. Give what creating the webhook showed.')
  return Promise.all(
    secrets.map(one =>
      crypto.subtle.importKey('raw', keyBytes(one), { name: 'HMAC', hash: 'SHA-256' }, false, [
        'verify',
      ]),
    ),
  )
}

/** The key is the ASCII of the 64 characters, which `whsec_` holds in Base64 (contract 4.10). */
const keyBytes = (secret: string): Bytes => {
  if (!secret.startsWith('whsec_')) return toBytes(secret)
  const key = tryDecodeBase64(secret.slice('whsec_'.length))
  // With an empty key, anyone could sign.
  if (key?.length) return key
  throw new TypeError('`secret` begins with whsec_, and no Base64 follows. Was it copied whole?')
}

const tryDecodeBase64 = (base64: string): Bytes | undefined => {
  try {
    return fromBase64(base64)
  } catch {
    return undefined
  }
}

const readHeader = (headers: HeadersLike, name: string): string | undefined => {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : undefined
}

/** Of one entry of `webhook-signature`; other versions than v1 are not Arden's. */
const fromV1 = (signature: string): Bytes | undefined => {
  const base64 = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1]
  return base64 === undefined ? undefined : fromBase64(base64)
}

/** Of `X-Webhook-Signature`. */
const fromSha256 = (signature: string): Bytes | undefined => {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1]
  return hex === undefined ? undefined : fromHex(hex)
}

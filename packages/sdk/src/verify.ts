import { type Bytes, concat, fromBase64, fromHex, toBytes } from './bytes.js'
import type { WebhookEvent } from './events.js'

/** Headers of `fetch`, of Node, or a plain object. Names are case-insensitive. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export type VerifyOptions = {
  /**
   * Rejects deliveries that were signed longer ago or further in the future, in seconds. Default 300; null for no
   * limit, which permits the replay of an old delivery.
   */
  maxAgeSeconds?: number | null
}

/** Why a delivery is not genuine. Respond with 401. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  constructor(
    readonly code: 'NO_BODY' | 'NO_SIGNATURE' | 'WRONG_SIGNATURE' | 'TOO_OLD' | 'NO_EVENT',
    message: string,
  ) {
    super(message)
  }
}

/** Largest age of a delivery, in seconds. Retries and redeliveries are signed again. */
const DEFAULT_MAX_AGE_S = 300

/**
 * Arden sends at most two. Each costs an HMAC over the body, and an attacker could send hundreds.
 */
const SIGNATURES_MAX = 10

/**
 * Verifies a delivery and returns its event. `rawBody` is the body byte for byte, not re-serialized. `secret`
 * is the 64 characters from creating or rotating the webhook, or their `whsec_` form; pass both secrets
 * during a rotation.
 * Uses `webhook-signature`, which also covers delivery id and time. Without that header it uses
 * `X-Webhook-Signature`, which covers the body only, where `maxAgeSeconds` is null. Compares in constant time.
 * @throws {WebhookVerificationError} when the delivery is not genuine, too old, not an event, or has no body. @throws
 * {TypeError} for a parsed body and for an invalid secret.
 */
export const verifyWebhook = async (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  { maxAgeSeconds = DEFAULT_MAX_AGE_S }: VerifyOptions = {},
): Promise<WebhookEvent> => {
  const keys = await importKeys(secret)
  if (isNone(rawBody))
    throw new WebhookVerificationError(
      'NO_BODY',
      'There is no body here. Read the raw bytes or text of the request for this route, in Express with express.raw({ type: "application/json" }).',
    )
  const body = toBytes(rawBody)
  const header = (name: string) => readHeader(headers, name)

  const signatures = header('webhook-signature')
  if (signatures !== undefined) {
    const timestamp = header('webhook-timestamp') ?? ''
    // `webhook-id` is the delivery id. Verify the header that receivers deduplicate by instead.
    const signed = concat(toBytes(`${header('x-webhook-delivery-id')}.${timestamp}.`), body)
    await verifyAny(keys, signatures.split(' ', SIGNATURES_MAX).map(fromV1), signed)
    if (maxAgeSeconds !== null) checkAge(timestamp, maxAgeSeconds)
  } else {
    const signature = header('x-webhook-signature')
    if (signature === undefined || maxAgeSeconds !== null)
      throw new WebhookVerificationError(
        'NO_SIGNATURE',
        `The header webhook-signature${signature === undefined ? '' : ', which covers the time,'} is missing.`,
      )
    await verifyAny(keys, [fromSha256(signature)], body)
  }
  return parse(body)
}

/**
 * Express has `undefined` or `{}` where no parser has read a body: also for a request without one, or of another type,
 * which anyone can send, and is no mistake of the program.
 */
const isNone = (raw: unknown): boolean => {
  if (raw instanceof ArrayBuffer || ArrayBuffer.isView(raw)) return false
  return (
    raw === undefined || raw === null || (typeof raw === 'object' && Object.keys(raw).length === 0)
  )
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
    'The signature does not match this body and secret. Verify the raw body with the secret of this webhook.',
  )
}

const checkAge = (timestamp: string, maxAgeSeconds: number) => {
  const age = Date.now() / 1000 - Number(timestamp)
  if (!(Math.abs(age) <= maxAgeSeconds))
    throw new WebhookVerificationError(
      'TOO_OLD',
      `It was signed ${Math.round(Math.abs(age))} s ${age < 0 ? 'in the future' : 'ago'}; at most ${maxAgeSeconds} s are permitted. It may be a replay, or a clock is wrong.`,
    )
}

const parse = (body: Bytes): WebhookEvent => {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof event?.event === 'string') return event
  } catch {
    // Thrown below.
  }
  throw new WebhookVerificationError('NO_EVENT', 'The body is genuine, but not an event of Arden.')
}

const importKeys = (secret: string | readonly string[]): Promise<CryptoKey[]> => {
  // Undefined where an environment variable is missing and types are not checked.
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? [])
  if (secrets.length === 0 || secrets.some(one => !one))
    throw new TypeError('`secret` is empty. Pass the secret from the creation of the webhook.')
  return Promise.all(
    secrets.map(one =>
      crypto.subtle.importKey('raw', keyBytes(one), { name: 'HMAC', hash: 'SHA-256' }, false, [
        'verify',
      ]),
    ),
  )
}

/**
 * The key is the ASCII text of the 64 characters; `whsec_` has them in Base64 (contract 4.10). Around it may be white
 * space: files end with a line break. Anything else is no secret, and with an empty key anyone could sign.
 */
const keyBytes = (secret: string): Bytes => {
  const trimmed = secret.trim()
  const key = trimmed.startsWith('whsec_')
    ? tryDecodeBase64(trimmed.slice('whsec_'.length))
    : toBytes(trimmed)
  if (key !== undefined && /^[0-9a-f]{64}$/.test(new TextDecoder().decode(key))) return key
  throw new TypeError(
    '`secret` is not a webhook secret: a secret has 64 hexadecimal characters, or is whsec_ and their Base64. Check that it was copied completely, and without quotation marks.',
  )
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

/** Parses an entry of `webhook-signature`. Arden sends v1 only. */
const fromV1 = (signature: string): Bytes | undefined => {
  const base64 = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1]
  return base64 === undefined ? undefined : fromBase64(base64)
}

/** Parses `X-Webhook-Signature`. */
const fromSha256 = (signature: string): Bytes | undefined => {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1]
  return hex === undefined ? undefined : fromHex(hex)
}

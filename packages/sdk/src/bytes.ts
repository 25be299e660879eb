/** Bytes that are not shared with another thread, as WebCrypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>

/** @throws {TypeError} for anything but text and bytes, such as a parsed body, or none. */
export const toBytes = (raw: string | Uint8Array | ArrayBuffer): Bytes => {
  if (typeof raw === 'string') return new TextEncoder().encode(raw)
  if (raw instanceof Uint8Array || raw instanceof ArrayBuffer) return new Uint8Array(raw)
  throw new TypeError(
    isNone(raw)
      ? 'There is no body here. Read the raw bytes or text of the request for this route, in Express with express.raw({ type: "application/json" }).'
      : 'The body must be the raw bytes or text of the request. A body parser has changed it: disable it for this route.',
  )
}

/** Express has `undefined` or `{}` where no parser has read the body. */
const isNone = (raw: unknown): boolean =>
  raw === undefined || raw === null || (typeof raw === 'object' && Object.keys(raw).length === 0)

export const concat = (a: Bytes, b: Bytes): Bytes => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

export const fromBase64 = (base64: string): Bytes =>
  Uint8Array.from(atob(base64), character => character.charCodeAt(0))

export const fromHex = (hex: string): Bytes =>
  Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

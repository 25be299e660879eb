/** Bytes that are not shared with another thread, as WebCrypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>

/** @throws {TypeError} for anything but text and bytes, such as a parsed body. */
export const toBytes = (raw: string | Uint8Array | ArrayBuffer): Bytes => {
  if (typeof raw === 'string') return new TextEncoder().encode(raw)
  if (raw instanceof Uint8Array || raw instanceof ArrayBuffer) return new Uint8Array(raw)
  throw new TypeError(
    'The body must be the raw bytes or text of the request. A body parser has changed it: disable it for this route.',
  )
}

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

/** Bytes of one's own: WebCrypto takes none that are shared with another thread. */
export type Bytes = Uint8Array<ArrayBuffer>

/** @throws {TypeError} for anything but text and bytes: a body that was parsed. */
export const toBytes = (raw: string | Uint8Array | ArrayBuffer): Bytes => {
  if (typeof raw === 'string') return new TextEncoder().encode(raw)
  if (raw instanceof Uint8Array || raw instanceof ArrayBuffer) return new Uint8Array(raw)
  throw new TypeError(
    'The body must be the bytes or the text that came. A body parser has changed it: turn that off for this route.',
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

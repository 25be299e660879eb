/**
 * Reads one HTTP/1.1 answer to a POST out of a connection's bytes (RFC 9112): as much as a delivery needs of
 * it, which is the status line, `Location`, and a body up to a size. Pure: it knows no socket and no clock.
 */

/**
 * Of all that is no body: status line and headers, those of answers before the answer, chunk extensions and
 * trailers. The same as Node's own limit for the headers. Without it an endpoint makes us read without end what is
 * never kept, and what is kept of the body holds all that it came with in memory.
 */
const HEAD_MAX_BYTES = 16 * 1024
/** Of the line that tells a chunk's size, extensions included. */
const CHUNK_LINE_MAX_BYTES = 1024

/** Not an answer in HTTP/1.x, or one with too much before its body. The message says which in words. */
export class InvalidResponse extends Error {
  override name = 'InvalidResponse'
}

const INVALID = 'the answer is not valid HTTP'
const HEAD_TOO_LARGE = 'the headers of the answer are too large'

export type ResponseReader = {
  /**
   * Takes bytes as they come. Afterwards `isDone` tells whether more is wanted.
   * @throws {InvalidResponse} when these can be no answer.
   */
  read: (chunk: Buffer) => void
  /** The endpoint closed its side. Whether the answer is whole, now that nothing more comes. */
  close: () => boolean
  /** The whole answer has come, or as much of its body as is kept. */
  isDone: () => boolean
  /** Whether the connection can serve another request: the answer is whole, and nothing came after it. */
  isReusable: () => boolean
  /** Seconds for which the endpoint says it keeps an idle connection; undefined when it does not say. */
  keepAliveS: () => number | undefined
  /** Undefined until status line and headers have come. 1xx is not the answer, except 101. */
  status: () => number | undefined
  location: () => string | undefined
  /** The body so far, and whether that is all of it. */
  body: () => { bytes: Buffer; isWhole: boolean }
}

/** How the end of the body is known. */
type Framing =
  | { by: 'length'; left: number }
  | { by: 'chunks'; left: number; at: 'size' | 'data' | 'data end' | 'trailer' }
  | { by: 'close' }

/** Reads until the answer is whole or `bodyMax` bytes of its body have come. */
export const createResponseReader = (bodyMax: number): ResponseReader => {
  let head: Head | undefined
  let framing: Framing = { by: 'close' }
  let unread: Buffer = EMPTY
  const kept: Buffer[] = []
  let size = 0
  let isWhole = false
  let headBytes = 0

  const keep = (bytes: Buffer) => {
    if (size < bodyMax) kept.push(bytes.subarray(0, bodyMax - size))
    size += bytes.length
  }
  const isDone = () => isWhole || size > bodyMax
  const countHead = (bytes: number) => {
    headBytes += bytes
    if (headBytes > HEAD_MAX_BYTES) throw new InvalidResponse(HEAD_TOO_LARGE)
  }

  /** Takes from `unread` what can be taken. False when more bytes are needed to go on. */
  const step = (): boolean => {
    if (head === undefined) return readHead()
    switch (framing.by) {
      case 'close':
        keep(unread)
        unread = EMPTY
        return false
      case 'length': {
        const bytes = unread.subarray(0, framing.left)
        keep(bytes)
        framing.left -= bytes.length
        unread = unread.subarray(bytes.length)
        isWhole = framing.left === 0
        return isWhole
      }
      case 'chunks':
        return readChunks(framing)
    }
  }

  const readHead = (): boolean => {
    const most = HEAD_MAX_BYTES - headBytes
    const text = unread.toString('latin1', 0, most)
    if (!text.startsWith(PROTOCOL.slice(0, text.length))) throw new InvalidResponse(INVALID)
    // A bare LF ends a line, too (RFC 9112, 2.2).
    const end = /\r?\n\r?\n/.exec(text)
    if (end === null) {
      if (text.length === most) throw new InvalidResponse(HEAD_TOO_LARGE)
      return false
    }
    const found = parseHead(text.slice(0, end.index))
    const length = end.index + end[0].length
    countHead(length)
    unread = unread.subarray(length)
    if (found.status < 200 && found.status !== 101) return true
    head = found
    framing = framingOf(found)
    isWhole = found.status === 101 || (framing.by === 'length' && framing.left === 0)
    return true
  }

  const readChunks = (chunks: Framing & { by: 'chunks' }): boolean => {
    if (chunks.at === 'data') {
      const bytes = unread.subarray(0, chunks.left)
      keep(bytes)
      chunks.left -= bytes.length
      unread = unread.subarray(bytes.length)
      if (chunks.left === 0) chunks.at = 'data end'
      return chunks.left === 0
    }
    const end = unread.indexOf('\n')
    if (end < 0) {
      if (unread.length > CHUNK_LINE_MAX_BYTES) throw new InvalidResponse(INVALID)
      return false
    }
    const line = unread.toString('latin1', 0, end).replace(/\r$/, '')
    unread = unread.subarray(end + 1)
    if (chunks.at === 'data end') {
      if (line !== '') throw new InvalidResponse(INVALID)
      chunks.at = 'size'
    } else if (chunks.at === 'trailer') {
      countHead(end)
      isWhole = line === ''
    } else {
      const digits = /^([0-9a-f]{1,8})[ \t]*(;|$)/i.exec(line)?.[1]
      if (digits === undefined) throw new InvalidResponse(INVALID)
      countHead(line.length - digits.length)
      chunks.left = Number.parseInt(digits, 16)
      chunks.at = chunks.left === 0 ? 'trailer' : 'data'
    }
    return true
  }

  return {
    read: chunk => {
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
      while (unread.length > 0 && !isDone() && step()) {}
    },
    close: () => {
      if (head !== undefined && framing.by === 'close') isWhole = true
      return isWhole
    },
    isDone,
    isReusable: () =>
      isWhole &&
      size <= bodyMax &&
      framing.by !== 'close' &&
      head?.keepAlive === true &&
      unread.length === 0,
    keepAliveS: () => head?.keepAliveS,
    status: () => head?.status,
    location: () => head?.location,
    body: () => ({ bytes: Buffer.concat(kept), isWhole: isWhole && size <= bodyMax }),
  }
}

const EMPTY = Buffer.alloc(0)
const PROTOCOL = 'HTTP/1.'

type Head = {
  status: number
  location: string | undefined
  /** The endpoint keeps the connection, and says in one way only where the answer ends. */
  keepAlive: boolean
  keepAliveS: number | undefined
  /** As RFC 9112, 6.3 has it. */
  isChunked: boolean
  hasCoding: boolean
  length: number | undefined
}

const parseHead = (text: string): Head => {
  // PostgreSQL's text cannot hold U+0000: what came of the attempt could never be recorded (RFC 9110, 5.5).
  if (/\0|\r(?!\n)/.test(text)) throw new InvalidResponse(INVALID)
  // A header that goes on in the next line is one header (RFC 9112, 5.2).
  const [first = '', ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const [, minor, status] = /^HTTP\/1\.(\d) ([1-9]\d\d)(?: |$)/.exec(first) ?? []
  if (status === undefined) throw new InvalidResponse(INVALID)
  const all = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon <= 0 || /\s/.test(line.slice(0, colon))) throw new InvalidResponse(INVALID)
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = all.get(name)
    all.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  const connection = all.get('connection')?.toLowerCase() ?? ''
  const coding = all.get('transfer-encoding')?.toLowerCase()
  const length = lengthIn(all.get('content-length'))
  // Somebody between may have taken it to end elsewhere (RFC 9112, 6.1 and 6.3).
  const endIsSure = coding === undefined || (minor !== '0' && length === undefined)
  const isKept = minor === '0' ? /\bkeep-alive\b/.test(connection) : !/\bclose\b/.test(connection)
  return {
    status: Number(status),
    location: all.get('location'),
    keepAlive: isKept && endIsSure,
    keepAliveS: numberIn(/\btimeout=(\d{1,6})/.exec(all.get('keep-alive') ?? '')?.[1]),
    isChunked: coding !== undefined && /(^|,)\s*chunked$/.test(coding),
    hasCoding: coding !== undefined,
    length,
  }
}

const numberIn = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))

/** Said several times it must be the same each time (RFC 9110, 8.6). */
const lengthIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const [first = '', ...others] = text.split(/\s*,\s*/)
  if (!/^\d{1,15}$/.test(first) || others.some(other => other !== first))
    throw new InvalidResponse(INVALID)
  return Number(first)
}

const framingOf = ({ status, isChunked, hasCoding, length }: Head): Framing => {
  if (status === 101) return { by: 'close' }
  if (status === 204 || status === 304) return { by: 'length', left: 0 }
  if (isChunked) return { by: 'chunks', left: 0, at: 'size' }
  if (hasCoding || length === undefined) return { by: 'close' }
  return { by: 'length', left: length }
}

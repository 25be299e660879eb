/**
 * Parser of an HTTP/1.1 response (RFC 9112), for what a delivery needs: status, `Location`, and a body up to a size
 * limit (contract 5.6). It uses no socket and no clock.
 */

/**
 * Limit of everything but the body: status line and headers, 1xx responses, chunk extensions and trailers. Node
 * has the same limit for headers. Without it an endpoint could send data without end that is never stored.
 */
const HEAD_MAX_BYTES = 16 * 1024
/**
 * Packets in which the headers may arrive. Each one parses the headers from their start: 16 KiB in packets of one
 * byte cost 413 ms of CPU.
 */
const HEAD_READS_MAX = 256
/** Limit of a chunk-size line, extensions included. */
const CHUNK_LINE_MAX_BYTES = 1024
/**
 * Chunks of one body that are read; the body is stored as far as it was received by then. 64 KiB in chunks of one
 * byte cost 136 ms of CPU and 11 MB, these 4 ms.
 */
const CHUNKS_MAX = 2048
/** Packets of one body that are read, likewise: 64 KiB in packets of one byte cost 225 ms of CPU, these 30. */
const BODY_READS_MAX = 2048
/** First size of the buffer of the body, which doubles as needed. Most bodies of receivers are shorter. */
const BODY_BUFFER_BYTES = 1024

/** The response is not HTTP/1.x, or its headers are too large. The message is the error text of the attempt. */
export class InvalidResponse extends Error {
  override name = 'InvalidResponse'
}

const INVALID = 'the response is not valid HTTP'
const HEAD_IN_PIECES = 'the headers of the response arrive in too many pieces'
const HEAD_TOO_LARGE = 'the headers of the response are too large'

type ResponseReader = {
  /** Parses the next bytes. @throws {InvalidResponse}. */
  read: (chunk: Buffer) => void
  /** The endpoint closed the connection. Returns whether the response is complete. */
  close: () => boolean
  /** The response is complete, or a limit of the body is reached: no more bytes are needed. */
  isDone: () => boolean
  /** Whether the connection can serve another request: the response is complete and nothing followed it. */
  isReusable: () => boolean
  /** The `Keep-Alive` time-out of the endpoint in seconds, undefined without one. */
  keepAliveS: () => number | undefined
  /** Undefined until the headers are complete. 1xx is not the final response, except 101. */
  status: () => number | undefined
  location: () => string | undefined
  /** The body so far, and whether it is complete. */
  body: () => { bytes: Buffer; isComplete: boolean }
}

/** What delimits the body (RFC 9112, 6.3). */
type Framing =
  | { by: 'length'; left: number }
  | { by: 'chunks'; left: number; at: 'size' | 'data' | 'data end' | 'trailer' }
  | { by: 'close' }

/** Methods of requests without a body, of whose response only the headers are read. */
export type HeadMethod = 'HEAD' | 'GET'

/** Reads until the response is complete or its body exceeds `bodyMax` bytes. `method`: that of the request, not a POST. */
export const createResponseReader = (bodyMax: number, method?: HeadMethod): ResponseReader => {
  let head: Head | undefined
  let framing: Framing = { by: 'close' }
  let unread: Buffer = EMPTY
  // One buffer of our own: a part of a network chunk would keep all of that chunk in memory.
  let body: Buffer = EMPTY
  let size = 0
  let chunkCount = 0
  let headReads = 0
  let bodyReads = 0
  let isComplete = false
  let headBytes = 0

  const store = (bytes: Buffer) => {
    const needed = Math.min(size + bytes.length, bodyMax)
    if (needed > body.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(Math.max(needed, 2 * body.length, BODY_BUFFER_BYTES), bodyMax),
      )
      body.copy(larger, 0, 0, Math.min(size, bodyMax))
      body = larger
    }
    if (size < bodyMax) bytes.copy(body, size)
    size += bytes.length
  }
  const isDone = () =>
    isComplete || size > bodyMax || chunkCount > CHUNKS_MAX || bodyReads > BODY_READS_MAX
  const countHead = (bytes: number) => {
    headBytes += bytes
    if (headBytes > HEAD_MAX_BYTES) throw new InvalidResponse(HEAD_TOO_LARGE)
  }

  /** Parses one part of `unread`. False when more bytes are needed. */
  const step = (): boolean => {
    if (head === undefined) return readHead()
    switch (framing.by) {
      case 'close':
        store(unread)
        unread = EMPTY
        return false
      case 'length': {
        const bytes = unread.subarray(0, framing.left)
        store(bytes)
        framing.left -= bytes.length
        unread = unread.subarray(bytes.length)
        isComplete = framing.left === 0
        return isComplete
      }
      case 'chunks':
        return readChunks(framing)
    }
  }

  const readHead = (): boolean => {
    const most = HEAD_MAX_BYTES - headBytes
    const text = unread.toString('latin1', 0, most)
    if (!text.startsWith(PROTOCOL.slice(0, text.length))) throw new InvalidResponse(INVALID)
    // A bare LF also ends a line (RFC 9112, 2.2).
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
    framing = framingOf(found, method)
    isComplete =
      found.status === 101 || method === 'GET' || (framing.by === 'length' && framing.left === 0)
    return true
  }

  const readChunks = (chunks: Framing & { by: 'chunks' }): boolean => {
    if (chunks.at === 'data') {
      const bytes = unread.subarray(0, chunks.left)
      store(bytes)
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
      isComplete = line === ''
    } else {
      const digits = /^([0-9a-f]{1,8})[ \t]*(;|$)/i.exec(line)?.[1]
      if (digits === undefined) throw new InvalidResponse(INVALID)
      countHead(line.length - digits.length)
      chunks.left = Number.parseInt(digits, 16)
      chunkCount++
      chunks.at = chunks.left === 0 ? 'trailer' : 'data'
    }
    return true
  }

  return {
    read: chunk => {
      if (head !== undefined) bodyReads++
      else if (++headReads > HEAD_READS_MAX) throw new InvalidResponse(HEAD_IN_PIECES)
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
      while (unread.length > 0 && !isDone() && step()) {}
      if (isDone()) unread = unread.length === 0 ? EMPTY : TOO_MUCH
      else if (unread.length < chunk.length) unread = Buffer.from(unread)
    },
    close: () => {
      if (head !== undefined && framing.by === 'close') isComplete = true
      return isComplete
    },
    isDone,
    isReusable: () =>
      isComplete &&
      size <= bodyMax &&
      framing.by !== 'close' &&
      head?.keepAlive === true &&
      unread.length === 0,
    keepAliveS: () => head?.keepAliveS,
    status: () => head?.status,
    location: () => head?.location,
    body: () => ({
      bytes: body.subarray(0, Math.min(size, bodyMax)),
      isComplete: isComplete && size <= bodyMax,
    }),
  }
}

const EMPTY = Buffer.alloc(0)
/** Marks bytes after the end of the response, which are not kept. */
const TOO_MUCH = Buffer.alloc(1)
const PROTOCOL = 'HTTP/1.'

type Head = {
  status: number
  location: string | undefined
  /** The endpoint keeps the connection open, and the end of the response is unambiguous. */
  keepAlive: boolean
  keepAliveS: number | undefined
  isChunked: boolean
  hasCoding: boolean
  length: number | undefined
}

const parseHead = (text: string): Head => {
  // RFC 9110, 5.5. PostgreSQL text cannot store U+0000: the outcome could never be recorded.
  if (/\0|\r(?!\n)/.test(text)) throw new InvalidResponse(INVALID)
  // A header can continue on the next line (RFC 9112, 5.2).
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
  // An intermediary may have used other framing (RFC 9112, 6.1 and 6.3).
  const hasOneFraming = coding === undefined || (minor !== '0' && length === undefined)
  const isKept = minor === '0' ? /\bkeep-alive\b/.test(connection) : !/\bclose\b/.test(connection)
  return {
    status: Number(status),
    location: all.get('location'),
    keepAlive: isKept && hasOneFraming,
    keepAliveS: numberIn(/\btimeout=(\d{1,6})/.exec(all.get('keep-alive') ?? '')?.[1]),
    isChunked: coding !== undefined && /(^|,)\s*chunked$/.test(coding),
    hasCoding: coding !== undefined,
    length,
  }
}

const numberIn = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))

/** Repeated values must be equal (RFC 9110, 8.6). */
const lengthIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const [first = '', ...others] = text.split(',').map(part => part.trim())
  if (!/^\d{1,15}$/.test(first) || others.some(other => other !== first))
    throw new InvalidResponse(INVALID)
  return Number(first)
}

const framingOf = (
  { status, isChunked, hasCoding, length }: Head,
  method: HeadMethod | undefined,
): Framing => {
  if (status === 101 || method === 'GET') return { by: 'close' }
  if (status === 204 || status === 304 || method === 'HEAD') return { by: 'length', left: 0 }
  if (isChunked) return { by: 'chunks', left: 0, at: 'size' }
  if (hasCoding || length === undefined) return { by: 'close' }
  return { by: 'length', left: length }
}

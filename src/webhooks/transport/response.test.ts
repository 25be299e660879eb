import { describe, expect, test } from 'bun:test'
import { createResponseReader, InvalidResponse } from './response'

const BODY_MAX = 100

/** The result for a response in pieces of `size` bytes; `closes`: the connection closes afterwards. */
const read = (text: string, { size = text.length, closes = false } = {}) => {
  const reader = createResponseReader(BODY_MAX)
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length && !reader.isDone(); at += size)
    reader.read(bytes.subarray(at, at + size))
  if (closes) reader.close()
  return {
    status: reader.status(),
    body: reader.body().bytes.toString('latin1'),
    isComplete: reader.body().isComplete,
    isReusable: reader.isReusable(),
  }
}
const HEAD = 'HTTP/1.1 200 OK\r\n'

/** Complete responses and their results, the same for pieces of any size. */
const responses: [string, string, Partial<ReturnType<typeof read>>][] = [
  ['with a length', `${HEAD}Content-Length: 2\r\n\r\nok`, { body: 'ok', isReusable: true }],
  ['without a body', `${HEAD}content-length:0\r\n\r\n`, { body: '', isReusable: true }],
  ['of 204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '', isReusable: true }],
  ['of a status line alone', 'HTTP/1.1 204\r\n\r\n', { status: 204, body: '' }],
  ['without a reason', 'HTTP/1.1 500\r\nContent-Length: 1\r\n\r\nx', { status: 500, body: 'x' }],
  [
    'in chunks, with extensions and a trailer',
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA \r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
    { body: 'abc0123456789', isReusable: true },
  ],
  [
    'in chunks and with a length: the chunks decide',
    `${HEAD}Content-Length: 1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    { body: 'ok', isReusable: false },
  ],
  [
    'of HTTP/1.0 in chunks',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    { body: 'ok', isReusable: false },
  ],
  [
    'after 100 and 103',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${HEAD}Content-Length: 2\r\n\r\nok`,
    { status: 200, body: 'ok', isReusable: true },
  ],
  [
    'with bare line feeds and a header in two lines',
    'HTTP/1.1 200 OK\nX: a\n b\nContent-Length: 2\n\nok',
    { body: 'ok', isReusable: true },
  ],
  [
    'that closes the connection',
    `${HEAD}Connection: Close\r\nContent-Length: 2\r\n\r\nok`,
    { body: 'ok', isReusable: false },
  ],
  [
    'of HTTP/1.0',
    'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
    { body: 'ok', isReusable: false },
  ],
  [
    'of HTTP/1.0 that keeps the connection',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok',
    { body: 'ok', isReusable: true },
  ],
  [
    'with the same length twice',
    `${HEAD}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`,
    { body: 'ok' },
  ],
]

describe('a response', () => {
  test.each(responses)('%s is read completely, in pieces of any size', (_, text, expected) => {
    for (const size of [1, 2, 3, 7, text.length])
      expect(read(text, { size })).toMatchObject({ status: 200, isComplete: true, ...expected })
  })

  test('without a length is complete when the connection closes; with a length it is not', () => {
    expect(read(`${HEAD}\r\nall`)).toMatchObject({ body: 'all', isComplete: false })
    expect(read(`${HEAD}\r\nall`, { closes: true })).toMatchObject({
      body: 'all',
      isComplete: true,
      isReusable: false,
    })
    expect(read(`${HEAD}Content-Length: 9\r\n\r\nhalf`, { closes: true })).toMatchObject({
      body: 'half',
      isComplete: false,
      isReusable: false,
    })
  })

  test('of 101 ends with its headers', () => {
    expect(read('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n')).toMatchObject({
      status: 101,
      isComplete: true,
      isReusable: false,
    })
  })

  test('followed by more bytes leaves no reusable connection', () => {
    expect(read(`${HEAD}Content-Length: 2\r\n\r\nokHTTP/1.1`)).toMatchObject({
      body: 'ok',
      isComplete: true,
      isReusable: false,
    })
  })

  test('is read no further than the limit of the stored body', () => {
    const long = 'x'.repeat(BODY_MAX)
    const whole = `${HEAD}Content-Length: ${BODY_MAX}\r\n\r\n${long}`
    expect(read(whole)).toMatchObject({ body: long, isComplete: true, isReusable: true })
    const longer = `${HEAD}Content-Length: ${BODY_MAX + 1}\r\n\r\n${long}y`
    expect(read(longer)).toMatchObject({ body: long, isComplete: false, isReusable: false })
    const chunks = `${HEAD}Transfer-Encoding: chunked\r\n\r\nfff\r\n${long}y`
    expect(read(chunks)).toMatchObject({ body: long, isComplete: false, isReusable: false })
  })

  test('in tiny chunks with long extensions is read no further than the limit of the headers', () => {
    const reader = createResponseReader(BODY_MAX)
    reader.read(Buffer.from(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`))
    const chunk = Buffer.from(`1;${'x'.repeat(1_000)}\r\na\r\n`)
    expect(() => {
      for (let n = 0; n < 20; n++) reader.read(chunk)
    }).toThrow(InvalidResponse)
    expect(reader.status()).toBe(200)
  })

  test('in tiny chunks is read up to a number of chunks, and stored as far as it was received', () => {
    const reader = createResponseReader(64 * 1024)
    reader.read(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`))
    const oneByte = Buffer.from('1\r\nx\r\n')
    let chunks = 0
    while (!reader.isDone() && chunks < 65_520) {
      reader.read(oneByte)
      chunks++
    }
    expect(chunks).toBeLessThan(5_000)
    expect(reader.status()).toBe(200)
    const { bytes, isComplete } = reader.body()
    expect([bytes.toString(), isComplete]).toEqual(['x'.repeat(chunks - 1), false])
    expect(reader.isReusable()).toBe(false)
  })

  test('in packets of one byte is read up to a number of packets, and stored as far as it was received', () => {
    const reader = createResponseReader(64 * 1024)
    reader.read(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 65000\r\n\r\n'))
    let packets = 0
    while (!reader.isDone() && packets < 65_000) {
      reader.read(Buffer.from('x'))
      packets++
    }
    expect(packets).toBeLessThan(5_000)
    const { bytes, isComplete } = reader.body()
    expect([bytes.toString(), isComplete]).toEqual(['x'.repeat(packets - 1), false])
    expect([reader.status(), reader.isReusable()]).toEqual([200, false])
  })

  test('is stored in one buffer of about its size, and keeps no network chunk in memory', () => {
    const reader = createResponseReader(64 * 1024)
    reader.read(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'))
    for (let i = 0; i < 1000; i++) reader.read(Buffer.alloc(1_000_000, 'x').subarray(0, 10))
    const { bytes } = reader.body()
    expect(bytes.toString()).toBe('x'.repeat(10_000))
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(20_000)
  })

  test('has the Keep-Alive time-out of the endpoint', () => {
    const reader = createResponseReader(BODY_MAX)
    reader.read(Buffer.from(`${HEAD}Keep-Alive: timeout=5, max=9\r\nContent-Length: 0\r\n\r\n`))
    expect(reader.keepAliveS()).toBe(5)
  })
})

describe('an invalid response:', () => {
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['the beginning of another one', 'HTTQ'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 OK\r\n\r\n'],
    ['a header without a colon', `${HEAD}nonsense\r\n\r\n`],
    ['a space before the colon', `${HEAD}Content-Length : 2\r\n\r\nok`],
    ['a length that is no number', `${HEAD}Content-Length: -1\r\n\r\n`],
    ['U+0000 in a header', 'HTTP/1.1 302 Found\r\nLocation: a\0b\r\n\r\n'],
    ['a bare carriage return', `${HEAD}X: a\rb\r\n\r\n`],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nok`],
    ['a chunk without a size', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a chunk longer than its size', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n`],
    ['a size line without end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(2_000)}`],
  ])('%s', (_, text) => {
    expect(() => read(text)).toThrow(InvalidResponse)
    expect(() => read(text)).toThrow('not valid HTTP')
    if (!text.endsWith('OK')) expect(() => read(text, { size: 1 })).toThrow(InvalidResponse)
  })

  test('1xx responses of more than 16 KiB together', () => {
    const reader = createResponseReader(BODY_MAX)
    const early = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))
    expect(() => {
      for (let n = 0; n < 10; n++) reader.read(early)
    }).toThrow('too large')
  })

  test('headers in packets of one byte', () => {
    const reader = createResponseReader(100)
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nX-Filler: ${'x'.repeat(1000)}`)
    expect(() => {
      for (let i = 0; i < bytes.length; i++) reader.read(bytes.subarray(i, i + 1))
    }).toThrow('the headers of the response arrive in too many pieces')
  })

  test('headers, or trailers, of more than 16 KiB', () => {
    const flood = `X-A: ${'a'.repeat(1000)}\r\n`.repeat(20)
    expect(() => read(HEAD + flood)).toThrow('too large')
    expect(() => read(`${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n${flood}`)).toThrow(
      'too large',
    )
  })
})

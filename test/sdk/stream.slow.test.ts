import { expect, test } from 'bun:test'
import { streamEvents } from '../../packages/sdk/src/stream'
import { settled } from '../support/settled'

const message = (n: number) =>
  `id: ${n}.\nevent: article.deleted\ndata: {"id":"evt_${n}","event":"article.deleted"}\n\n`

/**
 * How long a connection may be silent, in ms: long enough that a busy machine, which this process and its server share,
 * is not taken for silence.
 */
const SILENCE_MS = 1_500

/** A server that responds to each request for the stream with the next of `responses`. */
const serve = (responses: (() => Response)[]) => {
  /** The `Last-Event-ID` of each request. */
  const positions: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ headers }) => {
      positions.push(headers.get('last-event-id'))
      return responses[positions.length - 1]?.() ?? new Response(null, { status: 404 })
    },
  })
  return {
    at: { url: `http://127.0.0.1:${server.port}`, apiKey: 'ar_test_1' },
    positions,
    stop: () => server.stop(true),
  }
}

/** `text`, and then a comment every 20 ms for as long as it is read. */
const stream = (text: string, { ends = false } = {}) => {
  let comments: Timer
  const body = new ReadableStream<string>({
    start: controller => {
      controller.enqueue(text)
      if (ends) return controller.close()
      comments = setInterval(() => controller.enqueue(': keep-alive\n\n'), 20)
    },
    cancel: () => clearInterval(comments),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

test('a consumer that takes longer than the connection may be silent does not lose it', async () => {
  const server = serve([() => stream(message(1) + message(2))])
  const end = new AbortController()
  const lost: string[] = []
  const seen: string[] = []
  const options = { signal: end.signal, onDisconnect: (why: string) => lost.push(why) }
  for await (const { event } of streamEvents(server.at, options, SILENCE_MS)) {
    seen.push(event.id)
    await Bun.sleep(SILENCE_MS * 1.5)
    if (seen.length === 2) end.abort()
  }
  expect([seen, lost, server.positions]).toEqual([['evt_1', 'evt_2'], [], [null]])
  server.stop()
})

test('a silent connection is replaced by another one, which continues after the last event', async () => {
  const silent = () =>
    new Response(new ReadableStream({ start: controller => controller.enqueue(message(1)) }), {
      headers: { 'content-type': 'text/event-stream' },
    })
  const server = serve([silent, () => stream(message(2))])
  const end = new AbortController()
  const lost: string[] = []
  const options = { signal: end.signal, onDisconnect: (why: string) => lost.push(why) }
  for await (const { event } of streamEvents(server.at, options, SILENCE_MS))
    if (event.id === 'evt_2') end.abort()
  expect([lost, server.positions]).toEqual([['nothing came for 1.5 s'], [null, '1.']])
  server.stop()
})

test('a gap is reported in its place, and is neither an event nor a position', async () => {
  const gap = { before: '2026-01-01T00:00:00.000Z', message: 'Some may be missing.' }
  const gapMessage = `event: gap\ndata: ${JSON.stringify(gap)}\n\n`
  const server = serve([
    () => stream(`${message(1)}${gapMessage}`, { ends: true }),
    () => stream(message(2)),
  ])
  const end = new AbortController()
  const seen: unknown[] = []
  const options = { signal: end.signal, onGap: (one: unknown) => seen.push(one) }
  for await (const { event } of streamEvents(server.at, options)) {
    seen.push(event.id)
    if (event.id === 'evt_2') end.abort()
  }
  expect([seen, server.positions]).toEqual([
    ['evt_1', gap, 'evt_2'],
    [null, '1.'],
  ])
  server.stop()
})

test('a stream that was open waits for a rate limit and continues; a permanent refusal ends it', async () => {
  const refuse = (status: number, message: string, headers = {}) =>
    Response.json({ error: 'X', message }, { status, headers })
  const server = serve([
    () => stream(message(1), { ends: true }),
    () => refuse(429, 'Rate limit exceeded.', { 'retry-after': '1' }),
    () => refuse(409, 'Too many streams.'),
    () => stream(message(2), { ends: true }),
    () => refuse(401, 'This API key was revoked.'),
  ])
  const lost: { why: string; ms: number }[] = []
  const seen: string[] = []
  const followed = async () => {
    const options = {
      signal: new AbortController().signal,
      onDisconnect: (why: string, ms: number) => lost.push({ why, ms }),
    }
    for await (const { event } of streamEvents(server.at, options)) seen.push(event.id)
  }
  expect(await settled(followed())).toThrow('was revoked')
  expect(seen).toEqual(['evt_1', 'evt_2'])
  expect(server.positions).toEqual([null, '1.', '1.', '1.', '2.'])
  const [ended, limited, ...more] = lost
  expect([ended?.why, limited?.why]).toEqual([
    'the server ended the stream',
    'Rate limit exceeded.',
  ])
  expect(limited?.ms).toBe(1_000)
  // Streams that end at once are opened less and less often: each counts as a request.
  expect(more.map(({ ms }) => ms)).toEqual([1_000, 2_000])
  server.stop()
})

test('after a connection that lasted, a lost stream is opened again after the shortest delay', async () => {
  const refuse = () => Response.json({ error: 'CONFLICT', message: 'Too many.' }, { status: 409 })
  // Longer than the longest delay.
  const lasting = () =>
    new Response(
      new ReadableStream({
        start: async controller => {
          controller.enqueue(message(2))
          // Bytes in between, as the server sends them: Bun closes a silent connection.
          for (let n = 0; n < 7; n++) {
            await Bun.sleep(1_500)
            controller.enqueue(': \n\n')
          }
          controller.close()
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  const server = serve([
    () => stream(message(1), { ends: true }),
    refuse,
    refuse,
    lasting,
    () => stream(message(3)),
  ])
  const end = new AbortController()
  const delays: number[] = []
  const onDisconnect = (_why: string, ms: number) => delays.push(ms)
  for await (const { event } of streamEvents(server.at, { signal: end.signal, onDisconnect }))
    if (event.id === 'evt_3') end.abort()
  expect(delays).toEqual([250, 500, 1_000, 250])
  server.stop()
}, 60_000)

import { expect, test } from 'bun:test'
import { createApi } from '../../src/client/api'
import { follow } from '../../src/client/follow'

const message = (n: number) =>
  `id: ${n}.\nevent: article.deleted\ndata: {"id":"evt_${n}","event":"article.deleted"}\n\n`

/**
 * How long a connection may be silent, in ms: long enough that a busy machine, which this process and its server share,
 * is not taken for silence.
 */
const SILENCE_MS = 1_500

/** A server whose answers to the requests for the stream are `answers`, one after the other. */
const serve = (answers: ((lastEventId: string | null) => Response)[]) => {
  const asked: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ headers }) => {
      asked.push(headers.get('last-event-id'))
      return (
        answers[asked.length - 1]?.(asked.at(-1) ?? null) ?? new Response(null, { status: 404 })
      )
    },
  })
  return {
    api: createApi(`http://127.0.0.1:${server.port}`, 'ar_test_1'),
    asked,
    stop: () => server.stop(true),
  }
}

/** `text`, and then a comment each 20 ms for as long as somebody reads. */
const stream = (text: string, { ends = false } = {}) => {
  let signs: Timer
  const body = new ReadableStream<string>({
    start: controller => {
      controller.enqueue(text)
      if (ends) return controller.close()
      signs = setInterval(() => controller.enqueue(': keep-alive\n\n'), 20)
    },
    cancel: () => clearInterval(signs),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

test('a receiver that takes longer than a silence may last is no lost connection', async () => {
  const server = serve([() => stream(message(1) + message(2))])
  const end = new AbortController()
  const lost: string[] = []
  const seen: string[] = []
  const options = { signal: end.signal, lost: (why: string) => lost.push(why) }
  for await (const { envelope } of follow(server.api, options, SILENCE_MS)) {
    seen.push(envelope.id)
    await Bun.sleep(SILENCE_MS * 1.5)
    if (seen.length === 2) end.abort()
  }
  expect([seen, lost, server.asked]).toEqual([['evt_1', 'evt_2'], [], [null]])
  server.stop()
})

test('a connection on which nothing comes is lost, and another goes on behind the last event', async () => {
  const silent = () =>
    new Response(new ReadableStream({ start: controller => controller.enqueue(message(1)) }), {
      headers: { 'content-type': 'text/event-stream' },
    })
  const server = serve([silent, () => stream(message(2))])
  const end = new AbortController()
  const lost: string[] = []
  const options = { signal: end.signal, lost: (why: string) => lost.push(why) }
  for await (const { envelope } of follow(server.api, options, SILENCE_MS))
    if (envelope.id === 'evt_2') end.abort()
  expect([lost, server.asked]).toEqual([['nothing came for 1.5 s'], [null, '1.']])
  server.stop()
})

test('a gap is told where it is, is no event, and no place to go on from', async () => {
  const gap = { before: '2026-01-01T00:00:00.000Z', message: 'Some may be missing.' }
  const told = `event: gap\ndata: ${JSON.stringify(gap)}\n\n`
  const server = serve([
    () => stream(`${message(1)}${told}`, { ends: true }),
    () => stream(message(2)),
  ])
  const end = new AbortController()
  const seen: unknown[] = []
  const options = { signal: end.signal, missed: (one: unknown) => seen.push(one) }
  for await (const { envelope } of follow(server.api, options)) {
    seen.push(envelope.id)
    if (envelope.id === 'evt_2') end.abort()
  }
  expect([seen, server.asked]).toEqual([
    ['evt_1', gap, 'evt_2'],
    [null, '1.'],
  ])
  server.stop()
})

test('once it was open, it waits for a limit to pass, and goes on; a refusal for good ends it', async () => {
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
      lost: (why: string, ms: number) => lost.push({ why, ms }),
    }
    for await (const { envelope } of follow(server.api, options)) seen.push(envelope.id)
  }
  await expect(followed()).rejects.toThrow('was revoked')
  expect(seen).toEqual(['evt_1', 'evt_2'])
  expect(server.asked).toEqual([null, '1.', '1.', '1.', '2.'])
  const [ended, limited, ...more] = lost
  expect([ended?.why, limited?.why]).toEqual([
    'the server ended the stream',
    'Rate limit exceeded.',
  ])
  expect(limited?.ms).toBe(1_000)
  // Streams that end at once are asked for ever less often: each counts as a request.
  expect(more.map(({ ms }) => ms)).toEqual([1_000, 2_000])
  server.stop()
})

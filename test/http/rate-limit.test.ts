import { afterAll, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { type ApiResponse, client } from '../support/client'
import { spawnArden } from '../support/process'

afterAll(() => Promise.all(nodes.map(node => node.kill('SIGKILL'))))
const arden = await useArden({})
let nodes = await Promise.all([spawnArden('serve', arden.env), spawnArden('serve', arden.env)])

/** `calls` requests with one key by 64 callers, through both processes in turn. */
const storm = async (key: string, calls: number): Promise<ApiResponse[]> => {
  const responses: ApiResponse[] = []
  let next = 0
  const caller = async () => {
    for (let i = next++; i < calls; i = next++)
      responses.push(await client(nodes[i % nodes.length]?.url ?? '', key).get('/webhooks/events'))
  }
  await Promise.all(Array.from({ length: 64 }, caller))
  return responses
}

const count = (responses: ApiResponse[], status: number) =>
  responses.filter(response => response.status === status).length

/** Lets time pass for a key: what it did is `seconds` longer ago. */
const pass = async (keyId: string, seconds: number) => {
  const by = `${seconds} seconds`
  await arden.sql`UPDATE api_key_hits SET at = at - ${by}::interval WHERE key_id = ${keyId}`
  await arden.sql`UPDATE api_key_windows SET last_at = last_at - ${by}::interval WHERE key_id = ${keyId}`
}

const setLimit = async (keyId: string, rate_limit: number) => {
  const { key } = await arden.key()
  const response = await client(nodes[0]?.url ?? '', key).patch(`/api-keys/${keyId}`, {
    rate_limit,
  })
  expect(response.body.data.rate_limit).toBe(rate_limit)
}

test('in any hour never more than rate_limit accepted requests per key, exactly, under 64 callers through two processes', async () => {
  const { id, key } = await arden.key({ rate_limit: 150 })

  const first = await storm(key, 400)
  expect([count(first, 200), count(first, 429)]).toEqual([150, 250])
  const left = first
    .filter(one => one.status === 200)
    .map(one => one.headers.get('ratelimit') ?? '')
  expect(new Set(left.map(header => header.split(';')[1])).size).toBe(150)

  // A raised limit holds at once and keeps the history; a lowered one, too.
  await setLimit(id, 200)
  expect(count(await storm(key, 100), 200)).toBe(50)
  await setLimit(id, 100)
  expect(count(await storm(key, 64), 200)).toBe(0)
  await setLimit(id, 230)
  expect(count(await storm(key, 64), 200)).toBe(30)

  // The window's edge: not a second before, and all of it after.
  await pass(id, 3500)
  expect(count(await storm(key, 64), 200)).toBe(0)
  await pass(id, 101)
  expect(count(await storm(key, 300), 200)).toBe(230)
})

test('the window slides: each request becomes free an hour after it was made, not all at once', async () => {
  const { id, key } = await arden.key({ rate_limit: 40 })
  expect(count(await storm(key, 25), 200)).toBe(25)
  await pass(id, 2000)
  expect(count(await storm(key, 40), 200)).toBe(15)
  await pass(id, 1601)
  expect(count(await storm(key, 64), 200)).toBe(25)
})

test('Retry-After is true: a request N seconds later passes, one a second before is refused', async () => {
  const { id, key } = await arden.key({ rate_limit: 2 })
  await storm(key, 1)
  await pass(id, 1234)
  await storm(key, 1)
  const [refused] = await storm(key, 1)
  const seconds = Number(refused?.headers.get('retry-after'))
  expect(refused?.status).toBe(429)
  expect(refused?.body).toEqual({
    error: 'TOO_MANY_REQUESTS',
    message: `Rate limit of 2 requests per hour exceeded. Try again in ${seconds} seconds.`,
  })
  expect(seconds).toBeWithin(2360, 2367)
  await pass(id, seconds - 1.5)
  expect(count(await storm(key, 1), 429)).toBe(1)
  await pass(id, 1.5)
  expect(count(await storm(key, 1), 200)).toBe(1)
})

test('each API key has its own limit', async () => {
  const [one, other] = [await arden.key({ rate_limit: 5 }), await arden.key({ rate_limit: 5 })]
  expect(count(await storm(one.key, 20), 200)).toBe(5)
  expect(count(await storm(other.key, 20), 200)).toBe(5)
})

test('the state survives a crash of every Arden process', async () => {
  const { key } = await arden.key({ rate_limit: 10 })
  expect(count(await storm(key, 8), 200)).toBe(8)
  await Promise.all(nodes.map(node => node.kill('SIGKILL')))
  nodes = await Promise.all([spawnArden('serve', arden.env), spawnArden('serve', arden.env)])
  expect(count(await storm(key, 20), 200)).toBe(2)
})

import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { COOKIE, sessionToken } from '../support/http/person'
import { until } from '../support/until'

const arden = await useArden({ serve: true })

const openStream = (token: string, init: RequestInit = {}) =>
  fetch(`${arden.url}/dashboard/api/stream?mode=live`, {
    ...init,
    headers: { cookie: `${COOKIE}=${token}` },
  })

test('a user has at most 20 open streams in a process, over all sessions', async () => {
  const abort = new AbortController()
  const tokens = [await sessionToken(arden, 'viewer'), await sessionToken(arden, 'viewer')]
  const open = (n: number) => openStream(tokens[n % 2] ?? '', { signal: abort.signal })
  const responses = await Promise.all(Array.from({ length: 22 }, (_, n) => open(n)))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(20)
  const refused = responses.filter(({ status }) => status === 409)
  expect(refused).toHaveLength(2)
  expect(await refused[0]?.json()).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining('20 open'),
  })
  const other = new AbortController()
  const owner = await openStream(await sessionToken(arden), { signal: other.signal })
  expect(owner.status).toBe(200)
  other.abort()

  abort.abort()
  await until('a closed stream frees its place', async () => {
    const next = new AbortController()
    const { status } = await openStream(tokens[0] ?? '', { signal: next.signal })
    next.abort()
    return status === 200
  })
})

test('HEAD responds with the headers of the stream and opens none', async () => {
  const token = await sessionToken(arden, 'member')
  for (let n = 0; n < 25; n++) {
    const response = await openStream(token, {
      method: 'HEAD',
      signal: AbortSignal.timeout(20_000),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await response.text()).toBe('')
  }
})

import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'

const arden = await useArden({ serve: true })
const anonymous = person(arden.url)
const owner = person(arden.url, await sessionToken(arden))
const viewer = person(arden.url, await sessionToken(arden, 'viewer'))

describe('the rate limit of a user', () => {
  const LIMIT = 3_000
  const setWindow = (requests: number, secondsAgo: number) => arden.sql`
    UPDATE person_windows
    SET requests = ${requests}, began_at = clock_timestamp() - make_interval(secs => ${secondsAgo})
    FROM people p WHERE p.id = person_id AND p.email = 'viewer@example.com'`

  test('is in the headers of each response, for all sessions together', async () => {
    await viewer('GET', '/me')
    await setWindow(10, 0)
    const here = await viewer('GET', '/me')
    expect(here.headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`)
    expect(here.headers.get('ratelimit')).toMatch(
      new RegExp(`^"default";r=${LIMIT - 11};t=(60|[1-5]\\d)$`),
    )
    const other = person(arden.url, await sessionToken(arden, 'viewer'))
    const there = await other('GET', '/nothing')
    expect([there.status, there.headers.get('ratelimit')?.split(';')[1]]).toEqual([
      404,
      `r=${LIMIT - 12}`,
    ])
    // Other users have limits of their own.
    await setWindow(LIMIT, 0)
    expect((await owner('GET', '/me')).status).toBe(200)
  })

  test('refuses requests beyond it, exactly and at the same time, and accepts them in the next window', async () => {
    await setWindow(LIMIT - 5, 0)
    const responses = await Promise.all(Array.from({ length: 20 }, () => viewer('GET', '/me')))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = responses.find(({ status }) => status !== 200)
    const seconds = refused?.headers.get('retry-after')
    expect([refused?.status, refused?.body]).toEqual([
      429,
      {
        error: 'TOO_MANY_REQUESTS',
        message: `Rate limit of ${LIMIT} requests per minute exceeded. Try again in ${seconds} seconds.`,
      },
    ])
    expect(refused?.headers.get('ratelimit')).toBe(`"default";r=0;t=${seconds}`)
    // Refused requests consume nothing.
    await setWindow(LIMIT + 1, 60)
    const next = await viewer('GET', '/me')
    expect([next.status, next.headers.get('ratelimit')]).toEqual([
      200,
      `"default";r=${LIMIT - 1};t=60`,
    ])
    // Nor does a clock that was set back lock anyone out.
    await setWindow(LIMIT, -3_600)
    expect((await viewer('GET', '/me')).status).toBe(200)
  })

  test('applies after the session and before the path and the role', async () => {
    await setWindow(LIMIT, 0)
    expect((await viewer('GET', '/nothing')).status).toBe(429)
    expect((await viewer('POST', '/v1/projects', { name: 'x' })).status).toBe(429)
    expect(
      (await viewer('POST', '/v1/projects', {}, { origin: 'https://evil.example' })).status,
    ).toBe(403)
    await setWindow(0, 60)
    expect((await anonymous('GET', '/me')).status).toBe(401)
  })
})

import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { endpointsWithBody } from '../support/http/endpoints-with-body'
import { oneOfEach } from '../support/http/one-of-each'
import { fc } from '../support/property'
import { until } from '../support/until'

/** Contract 2.6: the log has neither bodies nor queries nor headers, and no secret that was sent in a path. */

const arden = await useArden({ serve: true })
const { key } = await arden.key()
const endpoints = endpointsWithBody(await oneOfEach(await arden.client()))
const BASE = '/api/public/v1'

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string }

const characters = (alphabet: string, length: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...alphabet), ...length })
const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Secrets of Arden and of others: keys, secrets of webhooks, session tokens, JWTs. */
const longSecret = fc.oneof(
  characters(BASE64, { minLength: 38, maxLength: 38 }).map(text => `ar_live_${text}`),
  characters(`${BASE64}+/=`, { minLength: 32, maxLength: 44 }).map(text => `whsec_${text}`),
  characters(HEX, { minLength: 64, maxLength: 64 }),
  characters(BASE64, { minLength: 43, maxLength: 43 }),
)
/** Also one that is as short as a word. */
const secret = fc.oneof(
  longSecret,
  characters(BASE64, { minLength: 8, maxLength: 30 }).map(text => `Zq9${text}`),
)

const inPath = longSecret.map((text): [string, Sent] => [
  text,
  { method: 'GET', path: `/webhooks/${encodeURIComponent(text)}` },
])
const inQuery = secret.map((text): [string, Sent] => [
  text,
  { method: 'GET', path: `/articles?token=${encodeURIComponent(text)}` },
])
const inHeader = fc
  .tuple(
    secret,
    fc.constantFrom('cookie', 'x-token', 'idempotency-key', 'if-match', 'content-type'),
  )
  .map(([text, name]): [string, Sent] => [
    text,
    { method: 'POST', path: '/projects', headers: { [name]: text }, body: '{}' },
  ])
const inBody = fc
  .tuple(
    secret,
    fc.constantFrom(...endpoints),
    fc.nat(),
    fc.constantFrom('member', 'nested', 'url', 'unparsed'),
  )
  .map(([text, { method, path, wrong, good }, n, how]): [string, Sent] => {
    const members = Object.keys(wrong)
    const member = members[n % Math.max(members.length, 1)] ?? 'name'
    const value = {
      member: text,
      nested: [{ token: text }],
      url: `https://ada:${text}@127.0.0.1:9/${text}?token=${text}`,
      unparsed: text,
    }[how]
    const body =
      how === 'unparsed'
        ? `{"${member}": ${text}`
        : JSON.stringify({ ...good, [member]: value, unknown_member: 1 })
    return [text, { method: method.toUpperCase(), path, body }]
  })

test('nothing secret of a failed request is stored', async () => {
  let failures = 0
  const texts = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.oneof(inPath, inQuery, inHeader, inBody), async ([text, sent]) => {
      const response = await fetch(`${arden.url}${BASE}${sent.path}`, {
        method: sent.method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...sent.headers,
        },
        ...(sent.body !== undefined && { body: sent.body }),
      })
      if (response.status < 400) return
      texts.add(text)
      failures++
    }),
    { numRuns: 400 },
  )
  expect(failures).toBeGreaterThan(300)
  const stored = await until('all are written', async () => {
    const rows = await arden.sql`SELECT * FROM failed_requests`
    return rows.length === failures && JSON.stringify(rows)
  })
  expect([...texts, key].filter(text => stored.includes(text))).toEqual([])
})

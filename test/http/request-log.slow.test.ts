import { describe, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import type { Client } from '../support/client'
import { person, sessionToken } from '../support/http/person'
import { logEntryOf, requestIdOf } from '../support/http/request-log'

/** Contract 2.6. */

const arden = await useArden({ serve: true })
const UNKNOWN = 'art_01kafz3v5tf4qrm8z3x9d2c7ne'

/** An error that is logged later than all requests before it. */
const isWritten = async (as: Client) => logEntryOf(as, await as.get(`/articles/${UNKNOWN}`))

describe('a failed request is logged', () => {
  test('with its route, path, error, key, address and duration', async () => {
    const { id, key } = await arden.key()
    const as = await arden.client()
    const response = await fetch(`${arden.url}/api/public/v1/articles/${UNKNOWN}?token=abc`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const entry = await logEntryOf(as, response)
    expect(entry).toEqual({
      id: expect.stringMatching(/^req_/),
      request_id: requestIdOf(response),
      method: 'GET',
      route: '/api/public/v1/articles/:id',
      path: `/api/public/v1/articles/${UNKNOWN}`,
      status: 404,
      error: 'NOT_FOUND',
      message: expect.stringContaining(`No article with the id ${UNKNOWN} exists`),
      actor: { type: 'key', id, name: 'test' },
      address: '127.0.0.1',
      duration_ms: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
    })
    expect((await as.get(`/requests/${entry.id}`)).body.data).toEqual(entry)
  })

  test('of each status but 401 and 429', async () => {
    const as = await arden.client()
    const readOnly = await arden.client({ scopes: ['read'] })
    const limited = await arden.client({ rate_limit: 1 })
    await limited.get('/usage')
    const logged = [
      await as.get('/nothing-here'),
      await as.post('/projects', '{'),
      await as.post('/projects', {}),
      await readOnly.post('/projects', { name: 'p' }),
    ]
    expect(logged.map(({ status }) => status)).toEqual([404, 400, 422, 403])
    for (const response of logged)
      expect(await logEntryOf(as, response)).toMatchObject({
        status: response.status,
        error: response.body.error,
      })
    expect((await logEntryOf(as, logged[0] ?? { headers: new Headers() })).route).toBeNull()

    const refused = await limited.get('/usage')
    const unauthorized = await fetch(`${arden.url}/api/public/v1/usage`)
    const successful = await as.get('/usage')
    expect([refused.status, unauthorized.status, successful.status]).toEqual([429, 401, 200])
    await isWritten(as)
    for (const response of [refused, unauthorized, successful])
      expect((await as.get(`/requests?request_id=${requestIdOf(response)}`)).body.data).toEqual([])
  })

  test('of a user of the dashboard, refused by a role as well, for users only', async () => {
    const viewer = person(arden.url, await sessionToken(arden, 'viewer'))
    const refused = await viewer('POST', '/v1/projects', { name: 'p' })
    expect(refused.status).toBe(403)
    const entry = await logEntryOf({ get: path => viewer('GET', `/v1${path}`) }, refused)
    expect(entry).toMatchObject({
      method: 'POST',
      path: '/dashboard/api/v1/projects',
      error: 'FORBIDDEN',
      actor: { type: 'user', name: 'viewer@example.com' },
    })
    const key = await arden.client()
    expect((await key.get(`/requests?request_id=${entry.request_id}`)).body.data).toEqual([])
    expect((await key.get(`/requests/${entry.id}`)).status).toBe(404)
  })

  test('where PostgreSQL cannot store what the client sent', async () => {
    const as = await arden.client()
    const wrong = await as.post('/projects', { '\u0000\ud800': 1 })
    const path = await fetch(`${arden.url}/api/public/v1/articles/%00%ED%A0%80?a=%00`, {
      headers: { authorization: `Bearer ${(await arden.key()).key}` },
    })
    expect((await logEntryOf(as, wrong)).status).toBe(422)
    expect((await logEntryOf(as, path)).path).toBe('/api/public/v1/articles/%00%ED%A0%80')
  })
})

test('an account and a mode see only their own', async () => {
  const live = await arden.client()
  const testMode = await arden.client({ mode: 'test' })
  const stranger = await arden.client({ accountId: await arden.newAccount() })
  for (const [as, others] of [
    [live, [testMode, stranger]],
    [testMode, [live, stranger]],
    [stranger, [live, testMode]],
  ] as const) {
    const response = await as.get(`/articles/${UNKNOWN}`)
    const { id } = await logEntryOf(as, response)
    for (const other of others) {
      expect((await other.get(`/requests/${id}`)).status).toBe(404)
      expect((await other.get(`/requests?request_id=${requestIdOf(response)}`)).body.data).toEqual(
        [],
      )
    }
  }
})

test('the list is filtered and has pages', async () => {
  const accountId = await arden.newAccount()
  const as = await arden.client({ accountId })
  const { id: keyId } = (await as.post('/api-keys', { name: 'other', scopes: ['read'] })).body.data
  const { key } = await arden.key({ accountId })
  for (let n = 0; n < 3; n++) await as.get(`/articles/${UNKNOWN}`)
  await as.post('/projects', {})
  await fetch(`${arden.url}/api/public/v1/nothing`, { headers: { authorization: `Bearer ${key}` } })
  await isWritten(as)
  const statuses = async (query: string) =>
    (await as.get(`/requests${query}`)).body.data.map((one: { status: number }) => one.status)
  expect(await statuses('')).toEqual([404, 404, 422, 404, 404, 404])
  expect(await statuses('?status=422')).toEqual([422])
  expect(await statuses('?method=POST')).toEqual([422])
  expect(await statuses(`?key_id=${keyId}`)).toEqual([])
  expect(await statuses('?created_before=2020-01-01T00:00:00Z')).toEqual([])
  expect((await as.get('/requests?status=200')).status).toBe(422)
  const first = await as.get('/requests?status=404&limit=3')
  const second = await as.get(`/requests?status=404&limit=3&cursor=${first.body.next_cursor}`)
  expect([first, second].map(({ body }) => body.data.length)).toEqual([3, 2])
  expect(second.body.next_cursor).toBeNull()
})

test('a tenant cannot fill the log: 500 of an hour are kept, the first of them, for each account and mode', async () => {
  const flooding = await arden.client({ accountId: await arden.newAccount() })
  const other = await arden.client({ accountId: await arden.newAccount() })
  const first = await flooding.get(`/articles/${UNKNOWN}`)
  for (let n = 0; n < 12; n++)
    await Promise.all(Array.from({ length: 50 }, () => flooding.get('/nothing')))
  await isWritten(other)
  const [{ kept, failed }] = await arden.sql<[{ kept: number; failed: number }]>`
    SELECT (SELECT count(*)::int FROM failed_requests f WHERE f.account_id = h.account_id) AS kept,
      sum(failed)::int AS failed
    FROM request_hours h JOIN accounts a ON a.id = h.account_id
    WHERE h.account_id = (SELECT account_id FROM failed_requests WHERE request_id = ${requestIdOf(first)})
    GROUP BY h.account_id`
  expect(failed).toBe(601)
  // One that falls into the next hour is kept beyond them.
  expect(kept).toBeWithin(500, 602)
  expect((await flooding.get(`/requests?request_id=${requestIdOf(first)}`)).body.data).toHaveLength(
    1,
  )
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { apiKey, arden, errorOf, through, url } from './given'
import { type Fate, startProxy } from './proxy'

/** `connection: close`, or Bun and Deno would repeat by themselves what is lost on a kept one. */
const away = (after: number | string, status = 503): Fate => ({
  status,
  headers: {
    'content-type': 'application/json',
    'retry-after': String(after),
    connection: 'close',
  },
  body: '{"error":"UNAVAILABLE","message":"The database cannot be reached at the moment."}',
})

/** A proxy for one test, gone with it whatever its outcome. */
const proxied = async (t: TestContext, plan: Fate[]) => {
  const proxy = await startProxy(url, plan)
  t.after(proxy.stop)
  return proxy
}

/** A name that no other test gives. */
const newName = () => `project ${crypto.randomUUID()}`
const projectsOf = async (name: string) => {
  const { data } = await arden.get('/projects', { query: { limit: 100 } })
  return data.filter(project => project.name === name)
}

test('a request is sent again when Retry-After says, a POST with the same Idempotency-Key', async t => {
  const proxy = await proxied(t, [away(1), away(0)])
  const name = newName()
  const { data: project } = await through(proxy).post('/projects', { body: { name } })
  assert.equal(project.name, name)
  const [first, second, third] = proxy.seen
  assert.equal(proxy.seen.length, 3)
  assert(first?.key && first.key === second?.key && first.key === third?.key)
  assert(second.at - first.at >= 950, `it waited ${second.at - first.at} ms`)
})

test('Retry-After may be a date; what is neither that nor seconds is as none', async t => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString()
  const late = await errorOf(through(await proxied(t, [away(inAMinute)])).get('/usage'))
  assert(late.code === 'UNAVAILABLE', late.code)
  assert(late.retryAfter !== undefined)
  assert(late.retryAfter > 40 && late.retryAfter <= 60, `${late.retryAfter}`)

  const proxy = await proxied(t, [away('1.5'), away('soon', 522)])
  await through(proxy).get('/usage')
  const [first, second, third] = proxy.seen.map(({ at }) => at)
  assert(first && second && third)
  assert(second - first >= 200, `it waited ${second - first} ms`)
  assert(third - second >= 450, `it waited ${third - second} ms`)
})

test('a response without a body that is not Arden’s is reported, and not requested again', async t => {
  const proxy = await proxied(t, [{ status: 204 }])
  const error = await errorOf(through(proxy).get('/usage'))
  assert.deepEqual([error.code, error.status], ['UNEXPECTED_RESPONSE', 204])
  assert.equal(proxy.seen.length, 1)
})

test('a POST whose response was lost takes effect once', async t => {
  const proxy = await proxied(t, ['lose'])
  const name = newName()
  const { data: project } = await through(proxy).post('/projects', { body: { name } })
  assert.deepEqual(await projectsOf(name), [project])
  assert.equal(proxy.seen.length, 2)
})

test('where the lost response had the secret, the call is an error that names the one webhook', async t => {
  const proxy = await proxied(t, ['lose'])
  const description = newName()
  const error = await errorOf(
    through(proxy).post('/webhooks', {
      body: { url: 'http://127.0.0.1:9/', events: ['article.created'], description },
    }),
  )
  assert(error.code === 'SECRET_SHOWN_BEFORE', error.code)
  const { data } = await arden.get('/webhooks', { query: { limit: 100 } })
  const made = data.filter(webhook => webhook.description === description)
  assert.deepEqual(
    made.map(webhook => webhook.id),
    [error.record.id],
  )
})

test('a GET is sent again after a connection that broke and a missing response', async t => {
  const proxy = await proxied(t, ['lose', 'hold'])
  const { data } = await through(proxy, { timeoutMs: 2_000 }).get('/api-keys/current')
  assert.equal(data.status, 'active')
  assert(proxy.seen.length >= 3)
})

test('a DELETE is sent again only after a refusal, because a repetition would get a 404', async t => {
  const { data: project } = await arden.post('/projects', { body: { name: newName() } })
  const path = { id: project.id }
  const proxy = await proxied(t, [away(0), 'lose'])
  const error = await errorOf(through(proxy).delete('/projects/{id}', { path }))
  assert.equal(error.code, 'NO_RESPONSE')
  assert.equal(proxy.seen.length, 2)
})

test('an error of another server is none of Arden, whatever members it has', async t => {
  const body = '{"statusCode":404,"error":"Not Found","message":"Route not found"}'
  const headers = { 'content-type': 'application/json' }
  const proxy = await proxied(t, [{ status: 404, headers, body }])
  const error = await errorOf(through(proxy).get('/usage'))
  assert.equal(error.code, 'UNEXPECTED_RESPONSE')
  assert.match(error.message, /is not from Arden/)
})

test('a DELETE is not sent again after a 503 without Retry-After, after which it may still be made', async t => {
  const { data: project } = await arden.post('/projects', { body: { name: newName() } })
  const unconfirmed = { status: 503, headers: { connection: 'close' } }
  const proxy = await proxied(t, [unconfirmed])
  const error = await errorOf(through(proxy).delete('/projects/{id}', { path: { id: project.id } }))
  assert.equal(error.status, 503)
  assert.equal(proxy.seen.length, 1)
})

test('a change with an etag is sent again only after a refusal, because a repetition would get a 412', async t => {
  const { data: project } = await arden.post('/projects', { body: { name: newName() } })
  const body = { title: 'First' }
  const created = await arden.post('/articles', { body: { ...body, project_id: project.id } })
  const path = { id: created.data.id }
  const { etag: ifMatch } = await arden.get('/articles/{id}', { path })
  const proxy = await proxied(t, [away(0), 'lose'])
  const change = through(proxy).patch('/articles/{id}', { path, body: { title: '2' }, ifMatch })
  assert.equal((await errorOf(change)).code, 'NO_RESPONSE')
  assert.equal((await arden.get('/articles/{id}', { path })).data.title, '2')
})

test('the repetitions end, with the error of the last response', async t => {
  const proxy = await proxied(t, [away(0), away(0), away(0), away(0)])
  const error = await errorOf(through(proxy, { retries: 2 }).get('/usage'))
  assert(error.code === 'UNAVAILABLE', error.code)
  assert.equal(error.retryAfter, 0)
  assert.equal(proxy.seen.length, 3)
})

test('what cannot become better is not sent again', async t => {
  const proxy = await proxied(t, [])
  await errorOf(through(proxy).post('/projects', { body: { name: '' } }))
  assert.equal(proxy.seen.length, 1)
})

test('no response in time is an error that says so', async t => {
  const proxy = await proxied(t, ['hold'])
  const impatient = through(proxy, { timeoutMs: 200, retries: 0 })
  const error = await errorOf(impatient.get('/usage'))
  assert.equal(error.code, 'TIMEOUT')
  assert(error.message.includes('200 ms'))
})

test('a rate limit that lasts longer than `longestWaitMs` fails the call at once', async t => {
  const { data } = await arden.post('/api-keys', {
    body: { name: 'few', scopes: ['read'], rate_limit: 1 },
  })
  const proxy = await proxied(t, [])
  const few = through(proxy, { apiKey: data.key })
  await few.get('/usage')
  const error = await errorOf(few.get('/usage'))
  assert(error.code === 'TOO_MANY_REQUESTS', error.code)
  assert(error.retryAfter > 3_000 && error.retryAfter <= 3_600, `${error.retryAfter}`)
  assert.equal(proxy.seen.length, 2)
  assert(apiKey !== data.key)
})

test('a signal ends a call, also while it waits to send again, with the signal’s reason', async t => {
  const proxy = await proxied(t, [away(20), 'hold'])
  const reason = new Error('not wanted any more')
  for (const requests of [1, 2]) {
    const controller = new AbortController()
    const call = through(proxy).get('/usage', { signal: controller.signal })
    const ended = assert.rejects(call, reason)
    while (proxy.seen.length < requests) await setTimeout(20)
    // The response with Retry-After has arrived by now; the other request gets none.
    await setTimeout(100)
    controller.abort(reason)
    const aborted = performance.now()
    await ended
    assert(performance.now() - aborted < 10_000)
  }
  await assert.rejects(through(proxy).get('/usage', { signal: AbortSignal.abort(reason) }), reason)
  assert.equal(proxy.seen.length, 2)
})

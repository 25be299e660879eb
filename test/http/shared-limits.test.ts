import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { addLargeArticles, openDownload } from '../support/content/exports'
import { person, sessionToken } from '../support/http/person'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** Limits of an account that count its API keys and the sessions of its dashboard together (contract 9.1). */

const arden = await useArden({ serve: true })
const { key } = await arden.key()
const live = await arden.client()
const owner = person(arden.url, await sessionToken(arden))

const newProject = async (): Promise<string> =>
  (await live.post('/projects', { name: 'Blog' })).body.data.id
const newArticle = async (body = ''): Promise<string> =>
  (await live.post('/articles', { project_id: await newProject(), title: 't', body })).body.data.id

test('a check of a session waits until that of a key has ended', async () => {
  const answer = Promise.withResolvers<Response>()
  const receiver = useReceiver(() => answer.promise)
  const id = await newArticle(`[here](${receiver.url}/)`)
  const first = live.get(`/articles/${id}/checks?links=true`)
  await until('the link is requested', () => receiver.received.length > 0)
  let isFinished = false
  const second = owner('GET', `/v1/articles/${id}/checks`).finally(() => {
    isFinished = true
  })
  for (let n = 0; n < 20; n++) await owner('GET', `/v1/articles/${id}`)
  expect(isFinished).toBe(false)
  answer.resolve(new Response('ok'))
  expect([(await first).status, (await second).status]).toEqual([200, 200])
})

test('of the checks with links in ten minutes those of a key and of a session count together', async () => {
  const accountId = await arden.newAccount()
  const api = await arden.client({ accountId })
  const user = person(
    arden.url,
    await sessionToken({ sql: arden.sql, accountId }, 'owner', 'other@example.com'),
  )
  const project_id = (await api.post('/projects', { name: 'Blog' })).body.data.id
  const { id } = (await api.post('/articles', { project_id, title: 't' })).body.data
  const path = `/articles/${id}/checks?links=true`
  for (let n = 0; n < 30; n++) {
    expect((await api.get(path)).status).toBe(200)
    expect((await user('GET', `/v1${path}`)).status).toBe(200)
  }
  expect([(await api.get(path)).status, (await user('GET', `/v1${path}`)).status]).toEqual([
    429, 429,
  ])
})

test('with two ZIPs of a key in progress a session gets none', async () => {
  await addLargeArticles(arden, { project: await newProject(), count: 16, bytes: 1024 ** 2 })
  const open = () => openDownload(arden, key, '/articles/export')
  const slow = [await open(), await open()]
  expect(slow.map(({ status }) => status)).toEqual([200, 200])
  expect((await owner('GET', '/v1/articles/export')).status).toBe(429)
  for (const { abort } of slow) abort()
  await until(
    'the session gets one',
    async () => (await owner('GET', '/v1/articles/export')).status === 200,
  )
})

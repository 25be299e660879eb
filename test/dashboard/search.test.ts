import { expect, test } from 'bun:test'
import type { Found } from '../../src/dashboard/search/store'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'
import { logEntryOf, requestIdOf } from '../support/http/request-log'

/** The search of the dashboard. */

const arden = await useArden({ serve: true })
const viewer = person(arden.url, await sessionToken(arden, 'viewer'))
const live = await arden.client()

const search = async (text: string, mode = 'live') => {
  const { status, body } = await viewer(
    'GET',
    `/search?text=${encodeURIComponent(text)}`,
    undefined,
    { 'x-arden-mode': mode },
  )
  expect(status).toBe(200)
  return body.data as Found[]
}
const found = async (text: string) => (await search(text)).map(({ kind, id }) => `${kind} ${id}`)

const webhook = (
  await live.post('/webhooks', {
    url: 'https://127.0.0.1:9/arden-hooks',
    events: ['*'],
    description: 'Shop window',
  })
).body.data
const project = (await live.post('/projects', { name: 'Coffee Blog', domain: 'blog.acme.com' }))
  .body.data
const keyword = (await live.post(`/projects/${project.id}/keywords`, { keyword: 'cold brew' })).body
  .data
const article = (await live.post('/articles', { project_id: project.id, title: '100% Arabica_' }))
  .body.data
const generation = (await live.post('/generations', { keyword_id: keyword.id })).body.data
const key = (await live.post('/api-keys', { name: 'Nightly importer', scopes: ['read'] })).body.data
const failed = await live.get('/nothing')
const request = await logEntryOf(live, failed)
const events = (await live.get('/events')).body.data
const deliveries = (await live.get(`/webhooks/${webhook.id}/deliveries`)).body.data

test('finds Greek and Russian names, whatever their capitals', async () => {
  const named = (await live.post('/projects', { name: 'Ναυλώσεις ΣΚΑΦΟΥΣ, Проект' })).body.data
  for (const text of ['Ναυλώσεις', 'ναυλωσεις σκάφους', 'ΣΚΑΦΟΥΣ', 'Проект', 'проект'])
    expect([text, await found(text)]).toEqual([text, [`project ${named.id}`]])
  await live.delete(`/projects/${named.id}`)
})

test('finds every kind of record by its id, with spaces around it', async () => {
  for (const [kind, { id }] of Object.entries({
    project,
    keyword,
    article,
    generation,
    webhook,
    key,
    event: events[0],
    delivery: deliveries[0],
    request,
  }))
    expect(await found(` ${id} `)).toEqual([`${kind} ${id}`])
})

test('finds a failed request by its X-Request-Id', async () => {
  expect(await found(requestIdOf(failed))).toEqual([`request ${request.id}`])
  expect(await search(requestIdOf(failed), 'test')).toEqual([])
})

test('finds a delivery by the id of its workflow, and records by a part of their ids', async () => {
  const [{ id }] = deliveries
  expect(await found(`delivery:${id}:2`)).toEqual([`delivery ${id}`])
  expect(await found(article.id.slice(-12).toUpperCase())).toEqual([`article ${article.id}`])
})

test('finds names, titles, URLs, descriptions and event types in any case', async () => {
  expect(await found('coffee')).toEqual([`project ${project.id}`])
  expect(await found('ACME.com')).toEqual([`project ${project.id}`])
  expect(await found('Cold Brew')).toEqual(
    expect.arrayContaining([`keyword ${keyword.id}`, `generation ${generation.id}`]),
  )
  expect(await found('shop win')).toEqual([`webhook ${webhook.id}`])
  expect(await found('window hooks shop')).toEqual([`webhook ${webhook.id}`])
  expect(await found('arden-hooks')).toEqual([`webhook ${webhook.id}`])
  expect(await found('keyword.created')).toEqual(
    expect.arrayContaining([expect.stringContaining('delivery'), expect.stringContaining('event')]),
  )
})

test('finds the API keys of the mode by name, by id and by the first characters of their value, revoked ones too', async () => {
  expect(await found('nightly imp')).toEqual([`key ${key.id}`])
  expect(await found(key.prefix)).toEqual([`key ${key.id}`])
  expect(await search('nightly', 'test')).toEqual([])
  expect(await search(key.id, 'test')).toEqual([])
  await live.delete(`/api-keys/${key.id}`)
  expect(await search('nightly')).toEqual([
    {
      kind: 'key',
      id: key.id,
      title: 'Nightly importer',
      detail: `${key.prefix}…`,
      status: 'revoked',
    },
  ])
})

test('finds a project by its domain in its own letters, and shows it so', async () => {
  const { id } = (await live.post('/projects', { name: 'Alps', domain: 'xn--gipfelglck-heb.de' }))
    .body.data
  expect(await search('Gipfelglück.de')).toEqual([
    { kind: 'project', id, title: 'Alps', detail: 'gipfelglück.de', status: null },
  ])
})

test('takes % and _ literally', async () => {
  expect(await found('100%')).toEqual([`article ${article.id}`])
  expect(await found('arabica_')).toEqual([`article ${article.id}`])
  expect(await found('100_ ar')).toEqual([])
})

test('finds at most five of a kind: that of exactly this name, then the newest', async () => {
  const named = (await live.post('/projects', { name: 'Many' })).body.data.id
  const ids: string[] = []
  for (let n = 0; n < 6; n++)
    ids.unshift((await live.post('/projects', { name: `Many ${n}` })).body.data.id)
  expect(await found(' mANY ')).toEqual([named, ...ids.slice(0, 4)].map(id => `project ${id}`))
  expect(await found('mäny')).toEqual([named, ...ids.slice(0, 4)].map(id => `project ${id}`))
  expect(await found('any')).toEqual(ids.slice(0, 5).map(id => `project ${id}`))
})

test('finds first what has the text as whole words, and splits no text between a name and an id', async () => {
  const ids: string[] = []
  for (let n = 1; n < 17; n++)
    ids.push((await live.post('/projects', { name: `Our beach ${n}` })).body.data.id)
  expect((await found('beach 1'))[0]).toBe(`project ${ids[0]}`)
  expect(await found('beach 14')).toEqual([`project ${ids[13]}`])
  expect(await found(`beach ${ids[0]?.slice(-6)}`)).toEqual([])
  expect(await found(`${ids[0]?.slice(-20)}`.toUpperCase())).toEqual([`project ${ids[0]}`])
})

test('finds nothing of another mode or account, nor what was deleted', async () => {
  expect(await search(article.id, 'test')).toEqual([])
  expect(await search('coffee', 'test')).toEqual([])
  const stranger = await arden.client({ accountId: await arden.newAccount() })
  const { id } = (await stranger.post('/projects', { name: 'Coffee of another' })).body.data
  expect(await found(id)).toEqual([])
  expect(await found('coffee of another')).toEqual([])
  const gone = (await live.post('/projects', { name: 'Gone soon' })).body.data
  await live.delete(`/projects/${gone.id}`)
  expect(await found(gone.id)).toEqual([])
  expect(await found('gone soon')).toEqual([])
})

test('finds nothing for an empty text, and rejects one that is too long or cannot be stored', async () => {
  expect(await search('  ')).toEqual([])
  expect((await viewer('GET', `/search?text=${'a'.repeat(201)}`)).status).toBe(422)
  expect((await viewer('GET', '/search?text=%00')).status).toBe(422)
})

test('finds nothing that is in a deleted project, before a worker has deleted its records', async () => {
  const gone = (await live.post('/projects', { name: 'Gone blog' })).body.data
  const word = (await live.post(`/projects/${gone.id}/keywords`, { keyword: 'gone word' })).body
    .data
  const text = (await live.post('/articles', { project_id: gone.id, title: 'Gone text' })).body.data
  const job = (await live.post('/generations', { keyword_id: word.id })).body.data
  const records = [gone.id, word.id, text.id, job.id]
  expect(await found('gone ')).toHaveLength(4)
  expect((await live.delete(`/projects/${gone.id}`)).status).toBe(200)
  expect(await found('gone ')).toEqual([])
  for (const id of records) expect(await found(id)).toEqual([])
})

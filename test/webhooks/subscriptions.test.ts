import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { EventData } from '../../src/webhooks/events/schema'
import { EVENT_TYPES } from '../../src/webhooks/events/types'
import { useArden } from '../support/arden'

// Without a worker: nothing is sent.
const arden = await useArden({ serve: true })
const live = await arden.client()

const subscribe = async (events: string[]): Promise<string> =>
  (await live.post('/webhooks', { url: 'http://127.0.0.1:9/', events })).body.data.id

const deliveriesOf = async (
  webhook: string,
  query = '',
): Promise<{ event: string; id: string }[]> =>
  (await live.get(`/webhooks/${webhook}/deliveries${query}`)).body.data

describe('a webhook', () => {
  test('with the event * gets each event, once', async () => {
    const [all, both] = [await subscribe(['*']), await subscribe(['*', 'article.created'])]
    const project = (await live.post('/projects', { name: 'p' })).body.data.id
    await live.post(`/projects/${project}/keywords`, { keyword: 'k' })
    await live.post('/articles', { project_id: project, title: 't', status: 'PUBLISHED' })
    for (const webhook of [all, both])
      expect((await deliveriesOf(webhook)).map(({ event }) => event)).toEqual([
        'article.published',
        'article.created',
        'keyword.created',
      ])
    expect((await live.get(`/webhooks/${all}`)).body.data.events).toEqual(['*'])
  })

  test('with an unknown event is a 422 that names those it can have', async () => {
    const { status, body } = await live.post('/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['*', 'article.*'],
    })
    expect([status, body.details[0].path]).toEqual([422, 'events.1'])
    expect(body.message).toContain('keyword.ranked')
  })
})

test('all wrong members of a webhook are reported at once', async () => {
  const { status, body } = await live.post('/webhooks', {
    url: 'not a url',
    events: ['article.sold'],
    enabled: 'yes',
    colour: 'red',
  })
  expect(status).toBe(422)
  const paths = body.details.map(({ path }: { path: string }) => path)
  expect(paths.sort()).toEqual(['colour', 'enabled', 'events.0', 'url'])
})

describe('POST /webhooks/<id>/test', () => {
  test.each([...EVENT_TYPES])('sends a sample of %s with its data', async event => {
    const webhook = await subscribe(['article.deleted'])
    const { status, body } = await live.post(`/webhooks/${webhook}/test`, { event })
    expect([status, body.data.event, body.data.test]).toEqual([202, event, true])
    const sample = (await live.get(`/events/${body.data.event_id}`)).body.data
    const ids = JSON.stringify(sample.data).match(/\b[a-z]+_0{26}/g)
    expect(ids?.length).toBeGreaterThan(1)
    expect(Value.Check(EventData[event], sample.data)).toBe(true)
  })

  test('sends generation.completed by default, and refuses an unknown type', async () => {
    const webhook = await subscribe(['article.deleted'])
    expect((await live.post(`/webhooks/${webhook}/test`)).body.data.event).toBe(
      'generation.completed',
    )
    const wrong = await live.post(`/webhooks/${webhook}/test`, { event: 'article.sold' })
    expect([wrong.status, wrong.body.details[0].path]).toEqual([422, 'event'])
  })
})

test('GET /deliveries/<id> has a delivery without its webhook, also after that was deleted', async () => {
  const webhook = await subscribe(['article.deleted'])
  const { id } = (await live.post(`/webhooks/${webhook}/test`)).body.data
  const nested = (await live.get(`/webhooks/${webhook}/deliveries/${id}`)).body.data
  expect((await live.get(`/deliveries/${id}`)).body.data).toEqual(nested)
  await live.delete(`/webhooks/${webhook}`)
  expect((await live.get(`/deliveries/${id}`)).body.data.id).toBe(id)
  const stranger = await arden.client({ accountId: await arden.newAccount() })
  expect((await stranger.get(`/deliveries/${id}`)).status).toBe(404)
})

test('GET /events filters by type and time', async () => {
  const own = await arden.client({ accountId: await arden.newAccount() })
  const project = (await own.post('/projects', { name: 'p' })).body.data.id
  const article = (await own.post('/articles', { project_id: project, title: 't' })).body.data.id
  await own.patch(`/articles/${article}`, { slug: 'other' })
  const list = async (query: string): Promise<{ event: string; created_at: string }[]> =>
    (await own.get(`/events?${query}`)).body.data
  const updated = await list('event=article.updated')
  expect(updated.map(({ event }) => event)).toEqual(['article.updated'])
  const at = updated[0]?.created_at
  expect((await list(`created_after=${at}`)).map(({ event }) => event)).toEqual([])
  const earlier = await list(`created_before=${at}&event=article.created&limit=1`)
  expect(earlier).toMatchObject([{ event: 'article.created', data: { article_id: article } }])
  expect((await own.get('/events?event=article.sold')).status).toBe(422)
})

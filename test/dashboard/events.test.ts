import { expect, test } from 'bun:test'
import type { EventAboutRecord, EventPage } from '../../src/dashboard/events/routes'
import { newId } from '../../src/ids'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'

/** The server routes of events in the dashboard. */

const arden = await useArden({ serve: true })
const viewer = person(arden.url, await sessionToken(arden, 'viewer'))
const live = await arden.client()

const hook = (
  await live.post('/webhooks', {
    url: 'https://127.0.0.1:9/arden-hooks',
    events: ['article.published'],
    description: 'Shop window',
  })
).body.data
const project = (await live.post('/projects', { name: 'Blog' })).body.data
const write = async (title: string) =>
  (await live.post('/articles', { project_id: project.id, title })).body.data

const about = async (id: string, mode = 'live') => {
  const { status, body } = await viewer('GET', `/events/about/${id}`, undefined, {
    'x-arden-mode': mode,
  })
  expect(status).toBe(200)
  return body.data as EventAboutRecord[]
}

test('lists the events about a record with their deliveries and webhooks, the newest first', async () => {
  const article = await write('One')
  await write('Another')
  await live.patch(`/articles/${article.id}`, { status: 'PUBLISHED' })
  const events = await about(article.id)
  expect(events.map(({ event }) => event)).toContain('article.created')
  const published = events.find(({ event }) => event === 'article.published')
  expect(published?.deliveries).toMatchObject([
    { webhook_id: hook.id, status: 'RETRYING', receiver: { description: 'Shop window' } },
  ])
  expect(events.at(-1)).toMatchObject({ event: 'article.created', deliveries: [] })
  expect((await about(project.id)).length).toBeGreaterThan(events.length)
})

test('lists the events about a deleted record', async () => {
  const article = await write('Gone')
  await live.delete(`/articles/${article.id}`)
  expect((await about(article.id)).map(({ event }) => event)).toEqual([
    'article.deleted',
    'article.created',
  ])
})

test('lists none for an unknown or invalid id, or one of another mode or account', async () => {
  const article = await write('Mine')
  expect(await about(newId('art'))).toEqual([])
  expect(await about('%00')).toEqual([])
  expect(await about(article.id, 'test')).toEqual([])
  const accountId = await arden.newAccount()
  const stranger = person(arden.url, await sessionToken({ ...arden, accountId }, 'member'))
  expect((await stranger('GET', `/events/about/${article.id}`)).body.data).toEqual([])
})

test('shows an event with the webhooks of its deliveries', async () => {
  const article = await write('Shown')
  await live.patch(`/articles/${article.id}`, { status: 'PUBLISHED' })
  const { id } = (await about(article.id)).find(one => one.event === 'article.published') ?? {}
  const { status, body } = await viewer('GET', `/events/${id}`)
  expect(status).toBe(200)
  const event: EventPage = body.data
  expect(event).toMatchObject({ event: 'article.published', data: { article_id: article.id } })
  expect(event.deliveries).toMatchObject([{ webhook_id: hook.id, receiver: { id: hook.id } }])
  expect((await viewer('GET', `/events/${newId('evt')}`)).status).toBe(404)
})

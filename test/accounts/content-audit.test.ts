import { describe, expect, test } from 'bun:test'
import type { AuditEntry } from '../../src/dashboard/audit/store'
import { useArden } from '../support/arden'
import { person, sessionToken } from '../support/http/person'

/** Content and redeliveries in the audit history. */

const arden = await useArden({ serve: true })
const live = await arden.client()
const owner = person(arden.url, await sessionToken(arden))
const entriesOf = async (text: string) => {
  const { body } = await owner('GET', `/audit?text=${encodeURIComponent(text)}`)
  return (body.data as AuditEntry[]).reverse()
}
const newProject = async (name: string): Promise<string> =>
  (await live.post('/projects', { name })).body.data.id

describe('articles', () => {
  test('publishing, a new address, unpublishing and deletion are recorded with who did it; other changes are not', async () => {
    const project_id = await newProject('Blog')
    const { id } = (await live.post('/articles', { project_id, title: 'Brew' })).body.data
    await owner('PATCH', `/v1/articles/${id}`, { body: 'x' })
    await owner('PATCH', `/v1/articles/${id}`, { slug: 'while-it-is-a-draft' })
    await owner('PATCH', `/v1/articles/${id}`, { status: 'PUBLISHED' })
    await owner('PATCH', `/v1/articles/${id}`, { slug: 'brew' })
    await live.patch(`/articles/${id}`, { status: 'DRAFT' })
    await owner('DELETE', `/v1/articles/${id}`)
    const subject = { id, name: 'Brew' }
    expect(await entriesOf(id)).toMatchObject([
      { action: 'article.published', subject, actor: { type: 'user' }, address: '127.0.0.1' },
      {
        action: 'article.slug_changed',
        subject,
        changes: { slug: { from: 'while-it-is-a-draft', to: 'brew' } },
      },
      { action: 'article.unpublished', subject, actor: { type: 'key' } },
      { action: 'article.deleted', subject, actor: { type: 'user' } },
    ])
    expect(await entriesOf('Brew')).toHaveLength(4)
  })

  test('creating as PUBLISHED is recorded, also by many requests at once; a draft is not', async () => {
    const project_id = await newProject('Blog')
    const created = await Promise.all(
      (['PUBLISHED', 'DRAFT', 'PUBLISHED'] as const).map(status =>
        live.post('/articles', { project_id, title: status, status }),
      ),
    )
    const actions = await Promise.all(created.map(({ body }) => entriesOf(body.data.id)))
    expect(actions.map(entries => entries.map(({ action }) => action))).toEqual([
      ['article.published'],
      [],
      ['article.published'],
    ])
  })
})

test('an entry of a record in test mode says so, and one in live mode does not', async () => {
  const tester = await arden.client({ mode: 'test' })
  for (const [client, mode] of [
    [live, undefined],
    [tester, 'test'],
  ] as const) {
    const project_id = (await client.post('/projects', { name: 'Of a mode' })).body.data.id
    const body = { project_id, title: 'Brew', status: 'PUBLISHED' }
    const { id } = (await client.post('/articles', body)).body.data
    const webhook = { url: 'http://127.0.0.1:9/', events: ['article.created'] }
    const { id: webhookId } = (await client.post('/webhooks', webhook)).body.data
    await client.delete(`/projects/${project_id}`)
    for (const record of [id, webhookId, project_id])
      expect((await entriesOf(record)).map(({ changes }) => changes.mode)).toEqual([mode])
  }
})

test('entries are found by the words of their names, as records are', async () => {
  const project_id = await newProject('Guide')
  const title = 'Perché l’ARTVA non basta'
  const { id } = (await live.post('/articles', { project_id, title, status: 'PUBLISHED' })).body
    .data
  for (const text of ['basta perche', " l'artva ", 'ARTVA', id])
    expect((await entriesOf(text)).map(({ subject }) => subject.id)).toEqual([id])
  expect(await entriesOf('basta mai')).toEqual([])
})

test('the deletion of a keyword is recorded with its text', async () => {
  const project_id = await newProject('Tea')
  const { id } = (await live.post(`/projects/${project_id}/keywords`, { keyword: 'green tea' }))
    .body.data
  await owner('DELETE', `/v1/keywords/${id}`)
  expect(await entriesOf('green tea')).toMatchObject([
    { action: 'keyword.deleted', subject: { id, name: 'green tea' }, actor: { type: 'user' } },
  ])
})

test('the deletion of a project is recorded with its name and size', async () => {
  const id = await newProject('Coffee')
  await live.post('/articles', { project_id: id, title: 'a', status: 'PUBLISHED' })
  await live.post('/articles', { project_id: id, title: 'b' })
  await live.post(`/projects/${id}/keywords`, { keyword: 'k' })
  const size = { articles: 2, published: 1, keywords: 1, generations: 0 }
  expect((await owner('GET', `/projects/${id}/size`)).body.data).toEqual(size)
  await live.delete(`/projects/${id}`)
  expect(await entriesOf(id)).toMatchObject([
    { action: 'project.deleted', subject: { id, name: 'Coffee' }, changes: size },
  ])
})

test('a redelivery, single or in bulk, is recorded', async () => {
  const webhook = { url: 'http://127.0.0.1:1/', events: ['article.created'] }
  const { id } = (await live.post('/webhooks', webhook)).body.data
  const project_id = await newProject('Blog')
  for (const title of ['a', 'b']) await live.post('/articles', { project_id, title })
  await arden.sql`DELETE FROM delivery_queue`
  await arden.sql`UPDATE deliveries SET status = 'FAILED', error = 'refused'`
  const [delivery] = (await live.get(`/webhooks/${id}/deliveries`)).body.data
  await live.post(`/webhooks/${id}/deliveries/${delivery.id}/redeliver`)
  await live.post(`/webhooks/${id}/redeliver`, { status: 'FAILED' })
  expect(await entriesOf(delivery.id)).toMatchObject([
    { action: 'deliveries.redelivered', changes: { webhook_id: id }, actor: { type: 'key' } },
  ])
  expect((await entriesOf(id)).at(-1)).toMatchObject({
    action: 'deliveries.redelivered',
    subject: { name: '127.0.0.1:1' },
    changes: { count: 1, status: 'FAILED' },
  })
})

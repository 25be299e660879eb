import { expect, test } from 'bun:test'
import { useContent } from '../support/content/content'
import { lockUntilReleased } from '../support/db/locks'
import { until } from '../support/until'

const { arden, live, newProject, eventsOf } = await useContent()

const newArticles = async (count: number): Promise<string[]> => {
  const { id: project_id } = await newProject()
  const created = await Promise.all(
    Array.from({ length: count }, () => live.post('/articles', { project_id, title: 't' })),
  )
  return created.map(({ body }) => body.data.id).sort()
}
const statusesOf = (ids: string[]) =>
  Promise.all(ids.map(async id => (await live.get(`/articles/${id}`)).body.data?.status))

test('publishes, unpublishes and deletes several articles, with the events of each', async () => {
  const ids = await newArticles(3)
  const published = await live.post('/articles/batch', { action: 'publish', ids })
  expect([published.status, published.body.data]).toEqual([200, { done: ids, failed: [] }])
  expect(await statusesOf(ids)).toEqual(['PUBLISHED', 'PUBLISHED', 'PUBLISHED'])
  await live.post('/articles/batch', { action: 'publish', ids })
  await live.post('/articles/batch', { action: 'unpublish', ids: ids.slice(0, 1) })
  expect(await statusesOf(ids)).toEqual(['DRAFT', 'PUBLISHED', 'PUBLISHED'])
  await live.post('/articles/batch', { action: 'delete', ids: ids.slice(1) })
  expect(await statusesOf(ids)).toEqual(['DRAFT', undefined, undefined])
  const typesOf = async (id = '') => (await eventsOf(id)).map(({ event }) => event)
  expect(await typesOf(ids[0])).toEqual([
    'article.created',
    'article.updated',
    'article.published',
    'article.updated',
  ])
  expect((await typesOf(ids[1])).slice(2)).toEqual(['article.published', 'article.deleted'])
})

test('names the articles that it does not find, and changes the others', async () => {
  const ids = await newArticles(2)
  const stranger = await arden.client({ accountId: await arden.newAccount() })
  const [own = '', gone = ''] = ids
  await live.delete(`/articles/${gone}`)
  const { body } = await live.post('/articles/batch', {
    action: 'publish',
    ids: [gone, 'nonsense', own, own],
  })
  expect(body.data).toEqual({
    done: [own],
    failed: [gone, 'nonsense'].map(article => ({
      article,
      code: 'NOT_FOUND',
      message: expect.stringContaining(article),
    })),
  })
  const theirs = await stranger.post('/articles/batch', { action: 'delete', ids: [own] })
  expect(theirs.body.data.done).toEqual([])
  expect(await statusesOf([own])).toEqual(['PUBLISHED'])
})

test('takes 50 articles, and a retry with the same Idempotency-Key changes nothing more', async () => {
  const ids = await newArticles(50)
  const send = () =>
    live.post('/articles/batch', { action: 'publish', ids }, { 'idempotency-key': 'once' })
  const [first, second] = [await send(), await send()]
  expect(first.body.data.done).toHaveLength(50)
  expect(second.body).toEqual(first.body)
  const refused = await live.post('/articles/batch', { action: 'publish', ids: [...ids, 'x'] })
  expect([refused.status, refused.body.details[0].path]).toEqual([422, 'ids'])
})

test('waits for the rows of its articles before it locks an ordered webhook', async () => {
  const hook = { url: 'http://127.0.0.1:9/', events: ['article.updated'], ordered: true }
  const { id: webhook } = (await live.post('/webhooks', hook)).body.data
  const ids = await newArticles(2)
  const release = await lockUntilReleased(
    arden.sql,
    tx => tx`SELECT FROM articles WHERE id = ${ids[1] ?? ''} FOR UPDATE`,
  )
  const batch = live.post('/articles/batch', { action: 'publish', ids })
  await until('the batch waits', async () => {
    const [{ waiting }] = await arden.sql<[{ waiting: number }]>`
      SELECT count(*) AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return waiting > 0
  })
  const free = await arden.sql`
    SELECT FROM webhooks WHERE id = ${webhook} FOR NO KEY UPDATE SKIP LOCKED`
  await release()
  expect((await batch).body.data.done).toEqual(ids)
  expect(free).toHaveLength(1)
})

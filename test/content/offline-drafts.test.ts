import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { until } from '../support/until'

/** Generations while no language model is configured. */

const arden = await useArden({ serve: true, worker: true })
const live = await arden.client()
await arden.sql`UPDATE accounts SET monthly_generations = 1`
const used = async () => (await live.get('/usage')).body.data.generations

const newKeyword = async (): Promise<string> => {
  const project = { name: 'Blog', domain: 'xn--gipfelglck-heb.de' }
  const { id } = (await live.post('/projects', project)).body.data
  return (await live.post(`/projects/${id}/keywords`, { keyword: 'cold brew' })).body.data.id
}
const completed = (id: string) =>
  until(`${id} is completed`, async () => {
    const { data } = (await live.get(`/generations/${id}`)).body
    return data.status === 'COMPLETED' && data
  })

test('offline drafts take nothing from the quota, however many are queued at once', async () => {
  await until('the worker has reported', async () => {
    const rows = await arden.sql`SELECT FROM workers WHERE providers = '{}'`
    return rows.length === 1
  })
  const keyword_id = await newKeyword()
  const queued = await Promise.all([1, 2, 3].map(() => live.post('/generations', { keyword_id })))
  expect(queued.map(({ status }) => status)).toEqual([202, 202, 202])
  for (const { body } of queued)
    expect(await completed(body.data.id)).toMatchObject({ offline_draft: true })
  expect(await used()).toBe(0)
  const cancelled = await live.post('/generations', { keyword_id })
  await live.post(`/generations/${cancelled.body.data.id}/cancel`)
  expect(await used()).toBe(0)
})

test('a draft names the site in its own letters', async () => {
  const texts: string[] = []
  // The sentences with the site are among several that are drawn.
  await until('a draft names the site', async () => {
    const { body } = await live.post('/generations', { keyword_id: await newKeyword() })
    const { article_id } = await completed(body.data.id)
    const { data } = (await live.get(`/articles/${article_id}`)).body
    texts.push(`${data.body} ${data.meta_description}`)
    return texts.some(text => text.includes('gipfelglück.de'))
  })
  expect(texts.join()).not.toContain('xn--')
})

test('one that was taken from the quota before a worker reported is returned', async () => {
  const keyword_id = await newKeyword()
  // As a worker of an earlier version, until the next heartbeat.
  await arden.sql`UPDATE workers SET providers = NULL`
  const { body } = await live.post('/generations', { keyword_id })
  expect(await completed(body.data.id)).toMatchObject({ offline_draft: true })
  expect(await used()).toBe(0)
})

import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'

const arden = await useArden({ serve: true })

test('GET /usage shows what live keys did this month, in either mode; test keys count nowhere', async () => {
  const live = await arden.client()
  const tester = await arden.client({ mode: 'test' })
  const reader = await arden.client({ scopes: ['read'] })
  for (const client of [live, tester]) {
    const { id } = (await client.post('/projects', { name: 'p' })).body.data
    await client.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['article.created'] })
    const article = (await client.post('/articles', { project_id: id, title: 't' })).body.data
    await client.delete(`/articles/${article.id}`)
  }
  const expected = {
    month: new Date().toISOString().slice(0, 7),
    requests: 4,
    generations: 0,
    articles: 1,
    deliveries: 1,
    input_tokens: 0,
    output_tokens: 0,
    quota: { generations: 100 },
  }
  expect((await tester.get('/usage')).body).toEqual({ data: expected })
  expect((await reader.get('/usage')).body).toEqual({ data: { ...expected, requests: 5 } })
})

test('requests that are refused later count, those over the limit do not', async () => {
  const live = await arden.client({ rate_limit: 3 })
  const requests = async () => (await (await arden.client()).get('/usage')).body.data.requests
  const before = await requests()
  const statuses: number[] = []
  for (const path of ['/nothing', '/articles/x', '/articles?limit=0', '/articles'])
    statuses.push((await live.get(path)).status)
  expect(statuses).toEqual([404, 404, 422, 429])
  expect(await requests()).toBe(before + 3 + 1)
})

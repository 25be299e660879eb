import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import type { Client } from '../support/client'

// Without a worker, so a queued generation stays QUEUED.
const arden = await useArden({ serve: true })
const live = await arden.client()
await arden.sql`UPDATE accounts SET monthly_generations = 1`

const newKeyword = async (as: Client) => {
  const { id } = (await as.post('/projects', { name: 'Blog' })).body.data
  return (await as.post(`/projects/${id}/keywords`, { keyword: 'cold brew' })).body.data
}

test('a live generation over the quota is a 402; a cancelled one is given back, once', async () => {
  const { id: keyword_id } = await newKeyword(live)
  const post = () => live.post('/generations', { keyword_id })
  const queued = await Promise.all(Array.from({ length: 5 }, post))
  expect(queued.map(({ status }) => status).sort()).toEqual([202, 402, 402, 402, 402])
  const { id } = queued.find(({ status }) => status === 202)?.body.data ?? {}
  expect((await live.get('/generations')).body.data).toHaveLength(1)

  const cancelled = await Promise.all(
    Array.from({ length: 3 }, () => live.post(`/generations/${id}/cancel`)),
  )
  expect(cancelled.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect((await post()).status).toBe(202)
  expect((await post()).status).toBe(402)
  const events = (await live.get('/events')).body.data.map((one: { event: string }) => one.event)
  expect(events).toEqual(['keyword.created'])
})

test('test mode is counted towards no quota', async () => {
  const tester = await arden.client({ mode: 'test' })
  const { id: keyword_id } = await newKeyword(tester)
  for (let n = 0; n < 3; n++)
    expect((await tester.post('/generations', { keyword_id })).status).toBe(202)
})

test('a generation and the deletion of its project or keyword at once: cancelled, or never made', async () => {
  const tester = await arden.client({ mode: 'test' })
  for (let n = 0; n < 10; n++) {
    const keyword = await newKeyword(tester)
    const path = n % 2 ? `/projects/${keyword.project_id}` : `/keywords/${keyword.id}`
    const responses = await Promise.all([
      tester.post('/generations', { keyword_id: keyword.id }),
      tester.delete(path),
      tester.post('/generations', { keyword_id: keyword.id }),
    ])
    for (const { status } of responses) expect(status).toBeOneOf([200, 202, 422])
    const open = await arden.sql`
      SELECT id FROM generations WHERE project_id = ${keyword.project_id} AND status = 'QUEUED'`
    expect(open).toHaveLength(0)
  }
})

import { afterEach, describe, expect, test } from 'bun:test'
import type { AuditEntry } from '../../src/dashboard/audit/store'
import {
  ARTICLE,
  ARTICLE_BODY,
  good,
  partOf,
  REQUESTS,
  useGenerating,
} from '../support/content/generations'
import { refusal, streamed } from '../support/content/llm'
import { person, sessionToken } from '../support/http/person'

/** `POST /generations/<id>/retry`. */

const { arden, live, tester, llm, respond, pauseResponse, newKeyword, ...generations } =
  await useGenerating()
const { reaches, ends, eventsOf, articlesOf, used } = generations

afterEach(() => respond(good))

const retry = (id: string, as = live) => as.post(`/generations/${id}/retry`)

/** FAILED, because the provider rejects every request for `part`. */
const newFailed = async (part: ReturnType<typeof partOf>, body: object = {}) => {
  respond((request, count) =>
    partOf(request) === part ? refusal(400, 'bad') : good(request, count),
  )
  const { id: keyword_id } = await newKeyword()
  const { id } = (await live.post('/generations', { keyword_id, ...body })).body.data
  const failed = await reaches(id, 'FAILED')
  await ends(id, 'FAILED')
  respond(good)
  return failed
}

describe('a retry', () => {
  test('goes on at the step that failed, and neither requests nor counts a finished one again', async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 200 }
    const before = (await live.get('/usage')).body.data
    const failed = await newFailed('metadata')
    expect(await used()).toBe(before.generations)
    const requests = llm.requests.length
    respond(() => streamed(['Title: Cold brew'], 'stop', usage))
    const response = await retry(failed.id)
    expect(response.status).toBe(202)
    expect(response.body.data).toMatchObject({
      id: failed.id,
      status: 'QUEUED',
      error: null,
      started_at: null,
      finished_at: null,
    })
    const { article_id, steps } = await reaches(failed.id, 'COMPLETED')
    expect(llm.requests.slice(requests).map(partOf)).toEqual(['metadata'])
    expect(steps.map((one: { status: string }) => one.status)).toEqual(Array(7).fill('COMPLETED'))
    const article = (await live.get(`/articles/${article_id}`)).body.data
    expect([article.title, article.body]).toEqual(['Cold brew', ARTICLE_BODY])
    expect((await live.get('/usage')).body.data).toMatchObject({
      generations: before.generations + 1,
      input_tokens: before.input_tokens + usage.prompt_tokens,
      output_tokens: before.output_tokens + usage.completion_tokens,
    })
    await ends(failed.id, 'COMPLETED', 2)
    expect(await eventsOf(failed)).toEqual([
      'generation.started',
      'generation.failed',
      'generation.started',
      'article.created',
      'generation.completed',
    ])
  })

  test('has all tries of a step again, and may fail and be retried again', async () => {
    const before = await used()
    const { id } = await newFailed('section')
    const requests = llm.requests.length
    let failures = 0
    const overloaded = () => refusal(503, 'overloaded', { 'retry-after-ms': '10' })
    respond((request, count) =>
      partOf(request) === 'section' && ++failures ? overloaded() : good(request, count),
    )
    await retry(id)
    await ends(id, 'FAILED', 2)
    expect(failures).toBeGreaterThanOrEqual(4)
    expect(await used()).toBe(before)
    respond(good)
    await retry(id)
    await reaches(id, 'COMPLETED')
    const parts = llm.requests.slice(requests).map(partOf)
    expect(parts.filter(part => part === 'introduction' || part === 'outline')).toEqual([])
    expect(await used()).toBe(before + 1)
  })

  test('of one whose outline arrived after it had ended goes on with that', async () => {
    const { id } = await newFailed('outline')
    await arden.sql`
      UPDATE generation_steps SET status = 'COMPLETED', text = ${ARTICLE.headings.join('\n')}
      WHERE generation_id = ${id}`
    const requests = llm.requests.length
    await retry(id)
    expect((await reaches(id, 'COMPLETED')).outline).toEqual(ARTICLE.headings)
    expect(llm.requests.length).toBe(requests + REQUESTS - 1)
  })

  test('of an article that was changed while it was written anew replaces it, and requests nothing', async () => {
    const { id: keyword_id, project_id } = await newKeyword()
    const article = { project_id, keyword_id, title: 'By hand', body: 'Mine.' }
    const { id: article_id } = (await live.post('/articles', article)).body.data
    const { paused, go } = pauseResponse('metadata')
    const { id } = (await live.post('/generations', { keyword_id, article_id })).body.data
    await paused
    await live.patch(`/articles/${article_id}`, { body: 'Changed.' })
    go()
    await reaches(id, 'FAILED')
    const requests = llm.requests.length
    await retry(id)
    await reaches(id, 'COMPLETED')
    expect(llm.requests.length).toBe(requests)
    const { body, version } = (await live.get(`/articles/${article_id}`)).body.data
    expect([body, version]).toEqual([ARTICLE_BODY, 3])
    const edited = (await live.get(`/articles/${article_id}/versions/2`)).body.data
    expect(edited.body).toBe('Changed.')
    expect(await articlesOf({ project_id })).toHaveLength(1)
  })

  test('is recorded in the audit history with who requested it', async () => {
    const { id, keyword } = await newFailed('outline')
    const owner = person(arden.url, await sessionToken(arden))
    expect((await owner('POST', `/v1/generations/${id}/retry`, {})).status).toBe(202)
    const entries = (await owner('GET', `/audit?text=${id}`)).body.data as AuditEntry[]
    expect(entries).toMatchObject([
      { action: 'generation.retried', subject: { id, name: keyword }, actor: { type: 'user' } },
    ])
    await reaches(id, 'COMPLETED')
  })
})

describe('no retry', () => {
  test('of the same failure at once but one: the others are a 409, and one is taken from the quota', async () => {
    const before = await used()
    const { id } = await newFailed('metadata')
    const responses = await Promise.all(Array.from({ length: 4 }, () => retry(id)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409])
    await reaches(id, 'COMPLETED')
    expect(await used()).toBe(before + 1)
    const again = await retry(id)
    expect([again.status, again.body.message]).toEqual([
      409,
      'The generation is COMPLETED. Only one that is FAILED can be retried.',
    ])
  })

  test('beyond the quota: a 402, and the generation stays FAILED', async () => {
    const { id, error } = await newFailed('metadata')
    await arden.sql`UPDATE accounts SET monthly_generations = ${await used()}`
    expect((await retry(id)).status).toBe(402)
    expect((await live.get(`/generations/${id}`)).body.data).toMatchObject({
      status: 'FAILED',
      error,
    })
    await arden.sql`UPDATE accounts SET monthly_generations = 100`
  })

  test('of a text that a required check refuses, and of what was deleted', async () => {
    respond((request, count) =>
      partOf(request) === 'introduction' ? streamed(['Lorem ipsum.']) : good(request, count),
    )
    const keyword = await newKeyword()
    const body = { keyword_id: keyword.id, required_checks: ['placeholder'] }
    const { id } = (await live.post('/generations', body)).body.data
    await reaches(id, 'FAILED')
    expect((await retry(id)).body).toMatchObject({
      error: 'CONFLICT',
      message: expect.stringContaining('generate again'),
    })

    const failed = await newFailed('outline')
    await live.delete(`/keywords/${failed.keyword_id}`)
    expect((await retry(failed.id)).body.message).toContain('keyword')
    await live.delete(`/projects/${failed.project_id}`)
    expect((await retry(failed.id)).status).toBe(404)

    const input = { project_id: keyword.project_id, title: 'By hand', body: 'Mine.' }
    const { id: article_id } = (await live.post('/articles', input)).body.data
    const { paused, go } = pauseResponse('metadata')
    const anew = (await live.post('/generations', { keyword_id: keyword.id, article_id })).body.data
    await paused
    await live.delete(`/articles/${article_id}`)
    go()
    await reaches(anew.id, 'FAILED')
    expect((await retry(anew.id)).body.message).toContain('article')
  })

  test('of the other mode', async () => {
    const { id } = await newFailed('outline')
    expect((await retry(id, tester)).status).toBe(404)
    expect((await live.get(`/generations/${id}`)).body.data.status).toBe('FAILED')
  })

  test('changes a failure that test mode simulates', async () => {
    const { id: keyword_id } = await newKeyword(tester)
    const instructions = 'fail: provider_refused'
    const { id } = (await tester.post('/generations', { keyword_id, instructions })).body.data
    await reaches(id, 'FAILED', tester)
    expect((await retry(id, tester)).status).toBe(202)
    await ends(id, 'FAILED', 2)
    expect((await reaches(id, 'FAILED', tester)).error.code).toBe('provider_refused')
  })
})

test('a retry in a later month is taken from that month, and returned to it', async () => {
  const { id } = await newFailed('metadata')
  await arden.sql`UPDATE generations SET created_at = created_at - interval '2 months' WHERE id = ${id}`
  const before = await used()
  const { paused } = pauseResponse('metadata')
  await retry(id)
  await paused
  expect(await used()).toBe(before + 1)
  expect((await generations.cancel(id)).status).toBe(200)
  expect(await used()).toBe(before)
})

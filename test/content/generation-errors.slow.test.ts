import { afterEach, describe, expect, test } from 'bun:test'
import { good, REQUESTS, useGenerating } from '../support/content/generations'
import { refusal, streamed } from '../support/content/llm'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

const { live, llm, respond, generate, reaches, ends, eventsOf, articlesOf, used } =
  await useGenerating()

afterEach(() => respond(good))

describe('an error of the provider', () => {
  test('that stays is FAILED at once with a code, generation.failed, and the quota back', async () => {
    const receiver = startReceiver()
    await live.post('/webhooks', { url: receiver.url, events: ['generation.failed'] })
    const before = await used()
    const requests = llm.requests.length
    respond(() => refusal(401, 'invalid_api_key'))
    const { id, project_id, keyword } = await generate()
    const { error, ...failed } = await reaches(id, 'FAILED')
    expect(error).toEqual({
      code: 'provider_rejected',
      message:
        'The provider rejected the request (401). Ask the operator of Arden to check its key, model and credit.',
    })
    expect(failed).toMatchObject({ article_id: null, finished_at: expect.any(String) })
    expect(llm.requests.length).toBe(requests + 1)
    await until('it arrives', () => receiver.received.length === 1)
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toEqual({
      generation_id: id,
      project_id,
      keyword,
      status: 'FAILED',
      error,
    })
    expect(await used()).toBe(before)
    await ends(id, 'FAILED')
    receiver.stop()
  })

  test('that passes is tried again when the provider says, and the article is written', async () => {
    const requests = llm.requests.length
    const soon = { 'retry-after-ms': '50' }
    const responses = [
      () => refusal(429, 'rate_limit_exceeded', { 'retry-after': '1' }),
      () => refusal(500, 'server_error', soon),
      good,
    ]
    const times: number[] = []
    respond((one, count) => {
      times.push(performance.now())
      return (responses[times.length - 1] ?? good)(one, count)
    })
    const { id } = await generate()
    await reaches(id, 'COMPLETED')
    expect(llm.requests.length).toBe(requests + 2 + REQUESTS)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950)
  })

  test('that comes four times is FAILED with the code of the last', async () => {
    const requests = llm.requests.length
    respond(() => refusal(503, 'overloaded', { 'retry-after-ms': '10' }))
    const generation = await generate()
    const { error } = await reaches(generation.id, 'FAILED')
    expect(error).toEqual({
      code: 'provider_unavailable',
      message: 'The provider responded with 503. Retry it later.',
    })
    expect(llm.requests.length).toBe(requests + 4)
    expect(await eventsOf(generation)).toEqual(['generation.started', 'generation.failed'])
  })

  test('a response that breaks off is requested again after 2 s, and leaves nothing of itself', async () => {
    const requests = llm.requests.length
    respond((request, count) =>
      count === requests + 1 ? streamed(['Half a head'], null) : good(request, count),
    )
    const generation = await generate()
    const { outline } = await reaches(generation.id, 'COMPLETED')
    expect(outline).not.toContain('Half a head')
    expect(llm.requests.length).toBe(requests + 1 + REQUESTS)
  })

  test.each([
    ['content_filter', 'provider_refused'],
    ['length', 'provider_incomplete'],
  ])('a response that ends with %s is FAILED with %s', async (end, code) => {
    respond(() => streamed(['# T\n\nText'], end))
    const generation = await generate()
    expect((await reaches(generation.id, 'FAILED')).error.code).toBe(code)
    expect(await articlesOf(generation)).toEqual([])
  })
})

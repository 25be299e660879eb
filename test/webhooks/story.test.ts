import { expect, test } from 'bun:test'
import { verify } from '@octokit/webhooks-methods'
import { EVENT_TYPES } from '../../src/webhooks/events/types'
import { useArden } from '../support/arden'
import type { Client } from '../support/client'
import { good } from '../support/content/generations'
import { refusal, useLlm } from '../support/content/llm'
import { startReceiver } from '../support/receiver'
import { until } from '../support/until'

/** The whole service in one story: from `POST /projects` to all nine events received. */
const llm = useLlm((request, count) =>
  JSON.stringify(request.body).includes('forbidden fruit')
    ? refusal(401, 'invalid_api_key')
    : good(request, count),
)

const arden = await useArden(
  { serve: true, worker: true },
  { ...llm.env, ARDEN_LLM_IN_TEST_MODE: '1' },
)

const made = async (response: ReturnType<Client['post']>) => {
  const { status, body } = await response
  expect([201, 202]).toContain(status)
  return body.data
}

test.each(['live', 'test'] as const)(
  'in %s mode: a project, its keyword and ranking, a generation, its article read and published; all nine events arrive, each with exactly the members of the contract',
  async mode => {
    const client = await arden.client({ mode })
    const receiver = startReceiver()
    const events = [...EVENT_TYPES]
    const { secret } = await made(client.post('/webhooks', { url: receiver.url, events }))
    const { id: project_id } = await made(client.post('/projects', { name: 'Coffee blog' }))
    const newKeyword = (keyword: string) =>
      made(client.post(`/projects/${project_id}/keywords`, { keyword }))
    const { id: keyword_id } = await newKeyword('cold brew')
    const ranking = await made(
      client.post(`/keywords/${keyword_id}/rankings`, { position: 7, url: 'https://a.example/b' }),
    )

    const { id: generation_id } = await made(client.post('/generations', { keyword_id }))
    const finished = await until('the generation is COMPLETED', async () => {
      const { data } = (await client.get(`/generations/${generation_id}`)).body
      return data.status === 'COMPLETED' && data
    })
    const { article_id } = finished
    const article = (await client.get(`/articles/${article_id}`)).body.data
    expect(article).toMatchObject({
      project_id,
      keyword_id,
      title: 'Cold brew',
      status: 'DRAFT',
      test_mode: mode === 'test',
    })
    expect(article.body).toContain('Grind coarse.')

    await client.patch(`/articles/${article_id}`, { status: 'PUBLISHED' })
    await client.delete(`/articles/${article_id}`)
    const forbidden = await newKeyword('forbidden fruit')
    const failing = await made(client.post('/generations', { keyword_id: forbidden.id }))

    const article_data = { article_id, project_id, keyword_id, title: 'Cold brew' }
    const expected = {
      'keyword.created': [
        { keyword_id, project_id, keyword: 'cold brew' },
        { keyword_id: forbidden.id, project_id, keyword: 'forbidden fruit' },
      ],
      'keyword.ranked': [
        {
          keyword_id,
          project_id,
          keyword: 'cold brew',
          position: 7,
          previous_position: null,
          url: 'https://a.example/b',
          checked_at: ranking.checked_at,
        },
      ],
      'generation.started': [
        { generation_id, project_id, keyword: 'cold brew', status: 'RUNNING' },
        { generation_id: failing.id, project_id, keyword: 'forbidden fruit', status: 'RUNNING' },
      ],
      'generation.completed': [
        { generation_id, project_id, article_id, keyword: 'cold brew', status: 'COMPLETED' },
      ],
      'generation.failed': [
        {
          generation_id: failing.id,
          project_id,
          keyword: 'forbidden fruit',
          status: 'FAILED',
          error: { code: 'provider_rejected', message: expect.any(String) },
        },
      ],
      'article.created': [{ ...article_data, status: 'DRAFT' }],
      'article.updated': [
        { ...article_data, status: 'PUBLISHED', changed: ['status', 'published_at'] },
      ],
      'article.published': [{ ...article_data, status: 'PUBLISHED' }],
      'article.deleted': [{ article_id, project_id }],
    }
    await until('all have arrived', () => receiver.received.length === 11)
    const envelopes = receiver.received
      .map(({ body }) => JSON.parse(body))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(Object.groupBy(envelopes, one => one.event)).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([event, all]) => [
          event,
          all.map(data => ({
            id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
            event,
            created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            data,
          })),
        ]),
      ),
    )
    expect(Object.keys(expected).sort()).toEqual(events.sort())
    for (const { body, headers } of receiver.received)
      expect(await verify(secret, body, headers['x-webhook-signature'] ?? '')).toBe(true)
    receiver.stop()
  },
)

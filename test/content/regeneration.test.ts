import { afterEach, expect, test } from 'bun:test'
import type { Caller } from '../../src/caller'
import { updateArticle } from '../../src/content/articles/update'
import type { Tx } from '../../src/db/connect'
import { ARTICLE, ARTICLE_BODY, good, useGenerating } from '../support/content/generations'

/** Generations with `article_id`: an article is written anew. */

const { arden, live, respond, pauseResponse, newKeyword, reaches, eventsOf, articlesOf, used } =
  await useGenerating()

afterEach(() => respond(good))

const newArticle = async () => {
  const { id: keyword_id, project_id } = await newKeyword()
  const input = { project_id, keyword_id, title: 'By hand', slug: 'kept', body: 'Mine.' }
  const article = (await live.post('/articles', { ...input, status: 'PUBLISHED' })).body.data
  return { article, keyword_id, project_id }
}
const regenerate = async (keyword_id: string, article_id: string) =>
  (await live.post('/generations', { keyword_id, article_id })).body.data

test('makes a new version of the article, and leaves its slug and its status', async () => {
  const { article, keyword_id, project_id } = await newArticle()
  const { id, article_id } = await regenerate(keyword_id, article.id)
  expect(article_id).toBe(article.id)
  await reaches(id, 'COMPLETED')
  const { data } = (await live.get(`/articles/${article.id}`)).body
  expect(data).toMatchObject({
    title: ARTICLE.title,
    body: ARTICLE_BODY,
    slug: 'kept',
    status: 'PUBLISHED',
    version: 2,
  })
  const versions = (await live.get(`/articles/${article.id}/versions`)).body.data
  expect(versions).toMatchObject([
    { version: 2, author: { type: 'generation', id } },
    { version: 1 },
  ])
  const first = (await live.get(`/articles/${article.id}/versions/1`)).body.data
  expect(first.body).toBe('Mine.')
  expect(await articlesOf({ project_id })).toHaveLength(1)
  expect(await eventsOf({ project_id })).toEqual([
    'article.created',
    'article.published',
    'generation.started',
    'article.updated',
    'generation.completed',
  ])
})

test('that was changed or deleted meanwhile is not overwritten: the generation is FAILED, with its text', async () => {
  const before = await used()
  for (const change of [
    (id: string) => live.patch(`/articles/${id}`, { body: 'Changed.' }),
    (id: string) => live.delete(`/articles/${id}`),
  ]) {
    const { article, keyword_id } = await newArticle()
    const { paused, go } = pauseResponse('metadata')
    const { id } = await regenerate(keyword_id, article.id)
    await paused
    await change(article.id)
    go()
    const { error, steps } = await reaches(id, 'FAILED')
    expect(error.code).toBe('article_changed')
    expect(steps[1].text).toBe(ARTICLE.introduction)
    const now = (await live.get(`/articles/${article.id}`)).body.data
    expect([undefined, 'Changed.']).toContain(now?.body)
  }
  expect(await used()).toBe(before)
})

test('whose user had saved just before, and saves again meanwhile, is not overwritten either', async () => {
  const { article, keyword_id } = await newArticle()
  // Saves of one user within five minutes are one version.
  const save = async (body: string) => {
    const actor = { type: 'user', id: 'usr_1', name: 'ada@example.com' } as const
    const tenant = { accountId: arden.accountId, mode: 'live' } as const
    const editor: Caller = { ...tenant, actor, scopes: ['read', 'write'], address: '127.0.0.1' }
    await arden.sql.begin(tx => updateArticle(tx as Tx, editor, article.id, { body }, () => {}))
  }
  const bodyNow = async () => (await live.get(`/articles/${article.id}`)).body.data.body
  const meanwhile = async (begin: () => Promise<{ id: string }>, body: string) => {
    const { paused, go } = pauseResponse('metadata')
    const { id } = await begin()
    await paused
    await save(body)
    go()
    expect((await reaches(id, 'FAILED')).error.code).toBe('article_changed')
    expect(await bodyNow()).toBe(body)
  }
  await save('First.')
  await meanwhile(() => regenerate(keyword_id, article.id), 'Second.')

  respond(() => new Response('', { status: 401 }))
  const { id } = await regenerate(keyword_id, article.id)
  await reaches(id, 'FAILED')
  await save('Third.')
  const retry = async () => (await live.post(`/generations/${id}/retry`)).body.data
  await meanwhile(retry, 'Fourth.')
})

test('of another project, of the other mode or unknown is a 422 that names it', async () => {
  const { article } = await newArticle()
  const { id: keyword_id } = await newKeyword()
  for (const article_id of [article.id, 'art_01kafz3v5tf4qrm8z3x9d2c7ne', 'art_1']) {
    const response = await live.post('/generations', { keyword_id, article_id })
    expect(response.status).toBe(422)
    expect(response.body.details).toMatchObject([{ path: 'article_id' }])
  }
})

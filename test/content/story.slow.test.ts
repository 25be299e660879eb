import { expect, test } from 'bun:test'
import { verifyWebhook } from '@arden/sdk'
import type { Article } from '../../src/content/articles/schema'
import type { GenerationDetail } from '../../src/content/generations/schema'
import type { Keyword } from '../../src/content/keywords/schema'
import { useArden } from '../support/arden'
import { client } from '../support/client'
import {
  ARTICLES,
  KEYWORDS,
  keywordOf,
  keywordsCsv,
  positionOf,
  REJECTED,
  TOKENS,
  useRankings,
  useUnreliableLlm,
} from '../support/content/content-team'
import { fetchApi, filesOf } from '../support/content/exports'
import { spawnArden } from '../support/process'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'

/** The work of a content team over the API, from 200 keywords to published articles and their rankings. */

const llm = useUnreliableLlm()
const serp = useRankings()
const receiver = useReceiver()
const arden = await useArden({ serve: true }, { ...llm.env, ...serp.env })
const { key } = await arden.key()
const live = client(arden.url, key)

test('200 keywords become articles that are written, edited, compared, published, exported and ranked', async () => {
  const secret = await subscribe()
  const project = await createProject()
  await importKeywords(project)
  const keywords = await chooseKeywords(project)

  const doomed = await spawnArden('worker', arden.env)
  const ids = await generate(project, keywords)
  const finished = await untilHalfIsWritten(ids)
  const requested = llm.texts.length
  await doomed.kill('SIGKILL')
  const worker = await spawnArden('worker', arden.env)
  const rejected = await untilAllHaveEnded(ids)
  await retry(rejected)
  const generations = await readAll(ids)
  expectNothingPaidTwice(generations, finished, llm.texts.slice(requested))
  await expectUsage(generations)

  const [first, second, ...others] = await readArticles(generations)
  await edit(first)
  await regenerate(first)
  await compareVersions(first)
  await publishLater(second)
  await publishTogether(others)
  await trackRankings(project)
  await exportArticles(project, second)
  await expectWebhooks(secret, [second, ...others])
  await worker.kill('SIGTERM')
}, 400_000)

const subscribe = async (): Promise<string> => {
  const events = ['generation.completed', 'generation.failed', 'article.published']
  const { status, body } = await live.post('/webhooks', { url: receiver.url, events })
  expect(status).toBe(201)
  return body.data.secret
}

const createProject = async (): Promise<string> => {
  const { status, body } = await live.post('/projects', {
    name: 'Coffee blog',
    domain: 'coffee.example',
    style_guide: 'Plain words. No superlatives.',
    brief: { audience: 'home baristas', tone: 'friendly', length: 300 },
  })
  expect(status).toBe(201)
  return body.data.id
}

/** A wrong line is found by the preview, and nothing is imported; the corrected file is imported at once. */
const importKeywords = async (project: string) => {
  const path = `/projects/${project}/keywords/import`
  const wrong = await live.post(path, {
    csv: `${keywordsCsv()}decaf,XX,\r\n`,
    preview: true,
  })
  expect(wrong.body.data.errors).toMatchObject([{ line: KEYWORDS + 2, column: 'country' }])
  const preview = await live.post(path, { csv: keywordsCsv(), preview: true })
  expect(preview.body.data).toMatchObject({ created: KEYWORDS, existing: 0, errors: [] })
  expect((await live.get(`/projects/${project}/keywords`)).body.data).toEqual([])
  const imported = await live.post(path, { csv: keywordsCsv() })
  expect(imported.body.data).toMatchObject({ created: KEYWORDS, existing: 0, errors: [] })
}

const chooseKeywords = async (project: string): Promise<string[]> => {
  const { body } = await live.get(`/projects/${project}/keywords?tag=first&limit=100`)
  const names = body.data.map(({ keyword }: Keyword) => keyword)
  expect(names.toSorted()).toEqual(Array.from({ length: ARTICLES }, (_, n) => keywordOf(n)).sort())
  return body.data.map(({ id }: Keyword) => id)
}

const generate = async (project: string, keyword_ids: string[]): Promise<string[]> => {
  const body = { keyword_ids, required_checks: ['placeholder', 'headings'] }
  const response = await live.post(`/projects/${project}/generations`, body)
  expect(response.status).toBe(202)
  expect(response.body.data[0]).toMatchObject({ audience: 'home baristas', length: 300 })
  return response.body.data.map(({ id }: GenerationDetail) => id)
}

const read = async (id: string): Promise<GenerationDetail> =>
  (await live.get(`/generations/${id}`)).body.data
const readAll = (ids: string[]) => Promise.all(ids.map(read))

/** The names of texts, as the model has them, that are stored: they are paid. */
const finishedTexts = (generations: GenerationDetail[]): string[] =>
  generations.flatMap(({ keyword, steps }) =>
    steps
      .filter(({ status, model }) => status === 'COMPLETED' && model !== null)
      .map(({ step, heading }) =>
        step === 'section'
          ? `${keyword} / ${heading === null ? 'introduction' : `section ${heading}`}`
          : `${keyword} / ${step}`,
      ),
  )

const untilHalfIsWritten = (ids: string[]) =>
  until(
    'half of the texts are written',
    async () => {
      const finished = finishedTexts(await readAll(ids))
      return finished.length > (ARTICLES * 5) / 2 && finished
    },
    180,
  )

/** All articles are written but the one whose section the provider rejects. */
const untilAllHaveEnded = async (ids: string[]): Promise<GenerationDetail> => {
  const ended = await until(
    'all generations have ended',
    async () => {
      const generations = await readAll(ids)
      return generations.every(({ finished_at }) => finished_at !== null) && generations
    },
    240,
  )
  const failed = ended.filter(({ status }) => status !== 'COMPLETED')
  expect(failed).toMatchObject([
    { keyword: REJECTED, status: 'FAILED', error: { code: 'provider_rejected' } },
  ])
  return failed[0] as GenerationDetail
}

/** The cause is corrected: the section is requested again, and the texts that were finished are not. */
const retry = async ({ id }: GenerationDetail) => {
  const finished = finishedTexts([await read(id)])
  expect(finished.length).toBeGreaterThan(0)
  llm.correct()
  const requested = llm.texts.length
  const responses = await Promise.all([1, 2].map(() => live.post(`/generations/${id}/retry`)))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 409])
  await until('it is COMPLETED', async () => (await read(id)).status === 'COMPLETED', 120)
  const repeated = llm.texts.slice(requested).filter(text => finished.includes(text))
  expect(repeated).toEqual([])
}

const expectNothingPaidTwice = (
  generations: GenerationDetail[],
  finishedBefore: string[],
  requestedAfter: string[],
) => {
  expect(requestedAfter.filter(text => finishedBefore.includes(text))).toEqual([])
  expect(finishedTexts(generations)).toHaveLength(ARTICLES * 5)
}

const expectUsage = async (generations: GenerationDetail[]) => {
  const texts = ARTICLES * 5
  const { data } = (await live.get('/usage')).body
  expect(data).toMatchObject({
    generations: ARTICLES,
    articles: ARTICLES,
    input_tokens: texts * TOKENS.prompt_tokens,
    output_tokens: texts * TOKENS.completion_tokens,
  })
  const sum = generations.reduce((total, one) => total + (one.input_tokens ?? 0), 0)
  expect(sum).toBe(data.input_tokens)
  // 3 dollars for a million tokens of input, 15 of output.
  expect(generations[0]?.cost_usd).toBeCloseTo(5 * (100 * 3e-6 + 40 * 15e-6))
}

const readArticles = async (generations: GenerationDetail[]) => {
  const articles = await Promise.all(
    generations.map(
      async ({ article_id }) => (await live.get(`/articles/${article_id}`)).body.data,
    ),
  )
  for (const { title, body, version } of articles) {
    expect(title).toStartWith('All about coffee recipe')
    expect(body).toContain('## Wait')
    expect(version).toBe(1)
  }
  return articles as [Article, Article, ...Article[]]
}

/** Two people edit the same text: the second one learns of the first. */
const edit = async ({ id, body }: Article) => {
  const etag = (await live.get(`/articles/${id}`)).headers.get('etag') ?? ''
  const change = (text: string) =>
    live.patch(`/articles/${id}`, { body: `${body}\n\n${text}` }, { 'if-match': etag })
  expect((await change('By the first.')).status).toBe(200)
  expect((await change('By the second.')).status).toBe(412)
}

const regenerate = async ({ id, keyword_id }: Article) => {
  const { status, body } = await live.post('/generations', {
    keyword_id,
    article_id: id,
    tone: 'dry',
  })
  expect(status).toBe(202)
  const isDone = async () => (await read(body.data.id)).status === 'COMPLETED'
  await until('it is written anew', isDone, 120)
}

const compareVersions = async ({ id, body }: Article) => {
  const { data } = (await live.get(`/articles/${id}/versions`)).body
  expect(data).toMatchObject([
    { version: 3, author: { type: 'generation' }, is_current: true },
    { version: 2, author: { type: 'key' }, changed: ['body'] },
    { version: 1, author: { type: 'generation' } },
  ])
  const edited = (await live.get(`/articles/${id}/versions/2`)).body.data
  expect(edited.body).toBe(`${body}\n\nBy the first.`)
  expect((await live.get(`/articles/${id}`)).body.data.body).toBe(body)
}

const publishLater = async ({ id }: Article) => {
  const scheduled_at = new Date(Date.now() + 5_000).toISOString()
  const { body } = await live.patch(`/articles/${id}`, { scheduled_at })
  expect(body.data).toMatchObject({ status: 'DRAFT', scheduled_at })
  const article = await until(
    'it is published on schedule',
    async () => {
      const { data } = (await live.get(`/articles/${id}`)).body
      return data.status === 'PUBLISHED' && data
    },
    120,
  )
  expect(Date.parse(article.published_at)).toBeGreaterThanOrEqual(Date.parse(scheduled_at))
}

const publishTogether = async (articles: Article[]) => {
  const ids = articles.map(({ id }) => id)
  const { body } = await live.post('/articles/batch', { action: 'publish', ids })
  expect(body.data.failed).toEqual([])
  expect(body.data.done.toSorted()).toEqual(ids.toSorted())
}

const trackRankings = async (project: string) => {
  const { status, body } = await live.post(`/projects/${project}/rank-runs`)
  expect([status, body.data.keywords]).toEqual([202, KEYWORDS])
  const run = await until(
    'the rankings are known',
    async () => {
      const { data } = (await live.get(`/rank-runs/${body.data.id}`)).body
      return data.finished_at !== null && data
    },
    180,
  )
  expect(run).toMatchObject({ status: 'COMPLETED', ranked: KEYWORDS, failed: 0 })
  expect(serp.requests).toHaveLength(KEYWORDS)
  const best = await live.get(`/projects/${project}/keywords?sort=position&limit=3`)
  for (const { keyword, latest_position } of best.body.data)
    expect(latest_position).toBe(positionOf(keyword))
  expect(best.body.data[0].latest_position).toBe(1)
}

/** One as Markdown with front matter, and all that are published as a ZIP. */
const exportArticles = async (project: string, { id, title, slug, body }: Article) => {
  const one = await fetchApi(arden, key, `/articles/${id}/export`)
  const text = await one.text()
  expect(text).toStartWith('---\n')
  expect(text).toContain(title)
  expect(text).toEndWith(body)
  const query = `project_id=${project}&status=PUBLISHED&format=markdown`
  const files = await filesOf(await fetchApi(arden, key, `/articles/export?${query}`))
  expect(Object.keys(files)).toHaveLength(ARTICLES - 1)
  expect(files[`${slug}.md`]).toBe(text)
}

/** Every event arrives once, signed. */
const expectWebhooks = async (secret: string, published: Article[]) => {
  const expected = {
    // One article was written anew.
    'generation.completed': ARTICLES + 1,
    'generation.failed': 1,
    'article.published': published.length,
  }
  const total = Object.values(expected).reduce((sum, count) => sum + count)
  await until('all events have arrived', () => receiver.received.length >= total)
  const events = await Promise.all(
    receiver.received.map(({ body, headers }) => verifyWebhook(body, new Headers(headers), secret)),
  )
  const counts = Object.entries(Object.groupBy(events, ({ event }) => event))
  expect(Object.fromEntries(counts.map(([event, of]) => [event, of.length]))).toEqual(expected)
  const ids = events.flatMap(one => (one.event === 'article.published' ? one.data.article_id : []))
  expect(ids.toSorted()).toEqual(published.map(({ id }) => id).sort())
}

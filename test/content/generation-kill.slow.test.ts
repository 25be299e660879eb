import { afterAll, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { ARTICLE, good, partOf, REQUESTS } from '../support/content/generations'
import { streamed, useLlm } from '../support/content/llm'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

/** The first response for the last section does not end while a test runs; all others end immediately. */
const end = Promise.withResolvers<void>()
afterAll(async () => {
  end.resolve()
})
const LAST = `The heading of the section: ${ARTICLE.headings.at(-1)}`
const isLast = (request: (typeof llm.requests)[number]) =>
  JSON.stringify(request.body).includes(LAST)
const llm = useLlm((request, count) =>
  isLast(request) && llm.requests.filter(isLast).length === 1
    ? streamed([{ hold: end.promise }, 'Never.'])
    : good(request, count),
)

const arden = await useArden({ serve: true }, llm.env)

test.each([
  ['killed', 'SIGKILL'],
  ['stopped, and not done within its grace period,', 'SIGTERM'],
] as const)(
  'a worker that is %s while it writes neither loses the generation, nor makes two articles, nor pays for a finished step again',
  async (_, signal) => {
    llm.requests.length = 0
    const live = await arden.client()
    const { id: project_id } = (await live.post('/projects', { name: 'Blog' })).body.data
    const keyword = await live.post(`/projects/${project_id}/keywords`, { keyword: 'cold brew' })
    const doomed = await spawnArden('worker', arden.env)
    const { id } = (await live.post('/generations', { keyword_id: keyword.body.data.id })).body.data
    await until('all but the last section is stored', async () => {
      const { data } = (await live.get(`/generations/${id}`)).body
      const left = data.steps.filter(
        (one: { step: string; status: string }) =>
          one.step === 'section' && one.status !== 'COMPLETED',
      )
      return data.steps.length > 0 && left.length === 1 && llm.requests.some(isLast)
    })
    expect(llm.requests).toHaveLength(REQUESTS - 1)

    const [heir, other] = await Promise.all([
      spawnArden('worker', arden.env),
      spawnArden('worker', arden.env),
      doomed.kill(signal),
    ])
    const { article_id } = await until(
      'the generation is COMPLETED',
      async () => {
        const { data } = (await live.get(`/generations/${id}`)).body
        return data.status === 'COMPLETED' && data
      },
      60,
    )
    const articles = (await live.get(`/articles?project_id=${project_id}`)).body.data
    expect(articles.map((one: { id: string }) => one.id)).toEqual([article_id])
    const { data: events } = (await live.get('/events')).body
    expect(
      events
        .filter((one: { data: { project_id: string } }) => one.data.project_id === project_id)
        .map((one: { event: string }) => one.event)
        .toReversed(),
    ).toEqual(['keyword.created', 'generation.started', 'article.created', 'generation.completed'])
    // What ended with its worker is no failure of the provider, and only that is requested again.
    const [row] = await arden.sql`
      SELECT sum(failures)::int AS failures FROM generation_steps WHERE generation_id = ${id}`
    expect(row?.failures).toBe(0)
    expect(llm.requests.map(partOf).toSorted()).toEqual([
      'introduction',
      'metadata',
      'outline',
      'section',
      'section',
      'section',
    ])
    await Promise.all([heir.kill('SIGTERM'), other.kill('SIGTERM')])
  },
  120_000,
)

import { afterAll, expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { streamed, useLlm } from '../support/content/llm'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

/** The first response does not end while a test runs; all others end immediately. */
const end = Promise.withResolvers<void>()
afterAll(async () => {
  end.resolve()
})
const llm = useLlm((_, count) =>
  streamed(['# Cold brew\n\n', ...(count === 1 ? [{ hold: end.promise }] : []), 'Wait long.']),
)

const arden = await useArden({ serve: true }, llm.env)

test.each([
  ['killed', 'SIGKILL'],
  ['stopped, and not done within its grace period,', 'SIGTERM'],
] as const)(
  'a worker that is %s while it writes neither loses the generation nor makes two articles',
  async (_, signal) => {
    llm.requests.length = 0
    const live = await arden.client()
    const { id: project_id } = (await live.post('/projects', { name: 'Blog' })).body.data
    const keyword = await live.post(`/projects/${project_id}/keywords`, { keyword: 'cold brew' })
    const doomed = await spawnArden('worker', arden.env)
    const { id } = (await live.post('/generations', { keyword_id: keyword.body.data.id })).body.data
    await until('it writes', () => llm.requests.length === 1)

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
    // What ended with its worker is no failure of the provider.
    const [row] = await arden.sql`SELECT failures FROM generations WHERE id = ${id}`
    expect([row?.failures, llm.requests.length]).toEqual([0, 2])
    await Promise.all([heir.kill('SIGTERM'), other.kill('SIGTERM')])
  },
  120_000,
)

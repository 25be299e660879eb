import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { useKillableTemporal } from '../support/operations/killable-temporal'
import { until } from '../support/until'

const temporal = await useKillableTemporal()
const arden = await useArden({ serve: true, worker: true }, { TEMPORAL_ADDRESS: temporal.address })
const live = await arden.client()

test('a scheduled article is published within minutes after Temporal has lost its store, without a restart', async () => {
  const { id: project_id } = (await live.post('/projects', { name: 'Blog' })).body.data
  const scheduled_at = new Date(Date.now() + 30_000).toISOString()
  const article = { project_id, title: 'Cold brew', scheduled_at }
  const { id } = (await live.post('/articles', article)).body.data
  await temporal.kill()
  await temporal.start('second')
  const published = await until(
    'it is published',
    async () => {
      const { data } = (await live.get(`/articles/${id}`)).body
      return data.status === 'PUBLISHED' && data
    },
    240,
  )
  expect(Date.parse(published.published_at)).toBeGreaterThanOrEqual(Date.parse(scheduled_at))
  const { data: events } = (await live.get('/events')).body
  const types = events.map(({ event }: { event: string }) => event)
  expect(types.filter((type: string) => type === 'article.published')).toHaveLength(1)
}, 300_000)

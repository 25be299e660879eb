import { afterAll, expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isPortFree } from '../../src/local/ports'
import { isRunning } from '../../src/local/process'
import { findTemporal } from '../../src/local/temporal/find'
import { startTemporal } from '../../src/local/temporal/server'
import { useArden } from '../support/arden'
import { quietPort } from '../support/network/quiet-ports'
import { until } from '../support/until'

const root = await mkdtemp(join(tmpdir(), 'arden-lost-schedule-'))
const port = await quietPort()
/** A Temporal that the test may kill; with another name, another store. */
const start = async (store: string) =>
  startTemporal({
    path: await findTemporal(() => {}),
    dir: join(root, store),
    port,
    searchAttributes: {},
  })

let temporal = await start('first')
afterAll(() => temporal.stop())
const arden = await useArden({ serve: true, worker: true }, { TEMPORAL_ADDRESS: temporal.address })
const live = await arden.client()

test('a scheduled article is published within minutes after Temporal has lost its store, without a restart', async () => {
  const { id: project_id } = (await live.post('/projects', { name: 'Blog' })).body.data
  const scheduled_at = new Date(Date.now() + 30_000).toISOString()
  const article = { project_id, title: 'Cold brew', scheduled_at }
  const { id } = (await live.post('/articles', article)).body.data
  process.kill(temporal.pid, 'SIGKILL')
  await until(
    'Temporal and its listener are gone',
    async () => !(await isRunning(temporal.pid)) && (await isPortFree(port)),
  )
  temporal = await start('second')
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

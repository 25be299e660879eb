import { expect, test } from 'bun:test'
import { startArden } from '../support/arden'
import { client } from '../support/client'
import { lockUntilReleased } from '../support/db/locks'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

test('SIGTERM on serve: a request in flight gets its response, a new one is refused, and the process ends', async () => {
  const arden = await startArden({ serve: true })
  const served = await spawnArden('serve', arden.env)
  const live = client(served.url, (await arden.key()).key)
  expect((await live.get('/projects')).status).toBe(200)

  const release = await lockUntilReleased(arden.sql, tx => tx`LOCK TABLE projects`)
  const slow = Promise.all([1, 2, 3].map(n => live.post('/projects', { name: `${n}` })))
  await until('they are under way', async () => {
    const waiting = await arden.sql`
      SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return waiting.length === 3
  })

  const gone = served.kill('SIGTERM')
  const isRefused = () =>
    fetch(`${served.url}/healthz`, { headers: { connection: 'close' } }).then(
      () => false,
      error => error.code === 'ECONNREFUSED',
    )
  await until('new connections are refused', isRefused)
  await release()
  for (const { status } of await slow) expect(status).toBe(201)
  expect(await gone).toBe(0)
  expect((await arden.sql`SELECT id FROM projects`).length).toBe(3)
  await arden.stop()
})

import { expect, test } from 'bun:test'
import { startArden } from '../support/arden'
import { startProxy } from '../support/network/proxy'
import { scrape } from '../support/operations/metrics'
import { spawnArden } from '../support/process'
import { until } from '../support/until'

/** The metrics of a worker while a server that it needs is away. */

test('what waits because Temporal is away is seen to grow old, and the worker not to work', async () => {
  const away = await startArden({ serve: true }, { TEMPORAL_ADDRESS: '127.0.0.1:1' })
  const lost = await spawnArden('worker', { ...away.env, ARDEN_METRICS_PORT: '0' })
  try {
    const caller = await away.client()
    await caller.post('/webhooks', { url: 'http://127.0.0.1:1/', events: ['article.created'] })
    const project_id = (await caller.post('/projects', { name: 'p' })).body.data.id
    await caller.post('/articles', { project_id, title: 't' })
    const { value } = await until('it is old', async () => {
      const found = await scrape(lost.metricsUrl)
      const age = found.value('arden_outbox_oldest_due_age_seconds', { table: 'deliveries' }) ?? 0
      return age > 1 && found
    })
    expect(value('arden_outbox_due', { table: 'deliveries' })).toBe(1)
    expect(value('arden_workers')).toBe(0)
  } finally {
    await lost.kill('SIGKILL')
    await away.stop()
  }
})

test('while Postgres is unavailable, a worker exports the metrics that do not need it', async () => {
  const arden = await startArden({})
  const proxy = startProxy(arden.env.DATABASE_URL ?? '')
  const env = { ...arden.env, DATABASE_URL: proxy.url, ARDEN_METRICS_PORT: '0' }
  const cut = await spawnArden('worker', env)
  try {
    proxy.cut()
    const { names, value } = await until('the outbox is unknown', async () => {
      const found = await scrape(cut.metricsUrl)
      return found.value('arden_outbox_due') === undefined && found
    })
    expect(names).toContain('arden_attempts_total')
    expect(value('arden_workers')).toBeUndefined()
    proxy.restore()
    await until('it is known again', async () => {
      const found = await scrape(cut.metricsUrl)
      return found.value('arden_outbox_due', { table: 'deliveries' }) !== undefined
    })
  } finally {
    await cut.kill('SIGKILL')
    proxy.stop()
    await arden.stop()
  }
})

import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { startPostgres } from '../../src/local/postgres/server'
import { client } from '../support/client'
import { copyServer } from '../support/db/copy-server'
import { createFirstKey } from '../support/first-key'
import { quietPort } from '../support/network/quiet-ports'
import { spawnArden } from '../support/process'
import { until } from '../support/until'
import { openEvents } from '../support/webhooks/event-stream'

const root = await mkdtemp(join(tmpdir(), 'arden-failover-'))
const port = await quietPort()
const start = (name: string) => startPostgres({ dir: join(root, name), durable: false, port })

test('after a failover that lost commits, a reader gets a gap, and every event that follows', async () => {
  let server = await start('primary')
  const sql = connect(server.url, { name: 'test', max: 1 })
  await migrate(sql)
  const key = await createFirstKey(sql)
  await sql.end()
  await server.stop()
  // What a standby has that was promoted before it received the last commits.
  copyServer(join(root, 'primary'), join(root, 'standby'), 'recovery.signal', {
    restore_command: 'false',
  })

  server = await start('primary')
  afterAll(() => server.stop())
  const serve = await spawnArden('serve', {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: server.url,
    ARDEN_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  })
  afterAll(() => serve.kill('SIGKILL'))
  const api = client(serve.url, key)
  const write = async () => {
    const { id } = (await api.post('/projects', { name: 'Blog' })).body.data
    return (await api.post('/articles', { project_id: id, title: 't' })).body.data.id as string
  }
  const stream = await openEvents(serve.url, key)
  for (let n = 0; n < 5; n++) await write()
  const lost = await stream.until(5)

  process.kill(server.pid, 'SIGKILL')
  await server.stop()
  server = await start('standby')
  await until('serve is ready', async () => (await fetch(`${serve.url}/readyz`)).ok)
  // Without a failed read in between: the stream that is open cannot continue either.
  await until('the stream ends', () => stream.state.ended)
  const kept = [await write(), await write()]
  const after = await openEvents(serve.url, key, { lastEventId: lost.at(-1)?.id ?? '' })
  const [gap, ...events] = await after.until(3)
  expect(gap).toMatchObject({ event: 'gap', id: undefined })
  expect(JSON.parse(gap?.data ?? '{}').message).toContain('standby')
  expect(events.map(({ data }) => JSON.parse(data).data.article_id)).toEqual(kept)

  // The positions that follow are of the new history.
  after.close()
  const last = await write()
  const next = await openEvents(serve.url, key, { lastEventId: events.at(-1)?.id ?? '' })
  const [first] = await next.until(1)
  expect(JSON.parse(first?.data ?? '{}').data.article_id).toBe(last)
  next.close()
})

import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { lockUntilReleased } from '../../test/support/db/locks'
import { until } from '../../test/support/until'
import { connect } from './connect'

const { sql, url } = await useDatabase({ connections: 4 })

test('without pipelining, no query waits behind a running one while another connection is idle', async () => {
  const pool = connect(url, { name: 'pool', max: 2, pipelining: false })
  const lock = (n: number) => lockUntilReleased(sql, tx => tx`SELECT pg_advisory_xact_lock(${n})`)
  await Promise.all([pool`SELECT pg_sleep(0.1)`, pool`SELECT pg_sleep(0.1)`])
  const waitFor = (n: number) => pool.unsafe(`SELECT pg_advisory_xact_lock_shared(${n})`).execute()
  const [first, second, third] = [await lock(1), await lock(2), await lock(3)]
  const running = [waitFor(1), waitFor(2)]
  await until('both connections are busy', async () => {
    const waiting = await sql`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'pool' AND wait_event_type = 'Lock'`
    return waiting.length === 2
  })
  const slow = waitFor(3)
  const fast = Promise.all([pool`SELECT 1`, pool`SELECT 1`, pool`SELECT 1`])
  await second()
  await first()
  // The slow one fails when it has waited too long for its lock.
  const ended = await Promise.race([fast.then(() => 'fast'), slow.catch(() => 'slow')])
  await third()
  await Promise.allSettled([...running, slow, fast])
  await pool.end()
  expect(ended).toBe('fast')
})

import { expect, test } from 'bun:test'
import { connect, LOCK_TIMEOUT_MS } from '../../src/db/connect'
import { migrate } from '../../src/db/migrate'
import { useDatabase } from '../support/database'
import { startProxy } from '../support/network/proxy'
import { stopAfterTests } from '../support/stop-after-tests'
import { until } from '../support/until'

const { url, sql } = await useDatabase({ unmigrated: true })
await migrate(sql)
/** Only Linux can end such a connection (src/db/role-settings.ts). */
const isLinux = process.platform === 'linux'

const backend = async (name: string) => {
  const [found] = await sql<[{ wait_event: string | null }?]>`
    SELECT wait_event FROM pg_stat_activity WHERE application_name = ${name}`
  return found
}

test.skipIf(!isLinux)(
  'a client that freezes without reading its rows loses its locks before others give up on them',
  async () => {
    await sql`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Acme')`
    const proxy = stopAfterTests(startProxy(url))
    const client = connect(proxy.url, { name: 'frozen', max: 1 })
    const frozen = client.begin(async tx => {
      await tx`SELECT FROM accounts WHERE id = 'acc_1' FOR UPDATE`
      proxy.hang('responses')
      // More than all buffers take.
      await tx`SELECT repeat('x', 1000000) FROM generate_series(1, 200)`
    })
    frozen.catch(() => {})
    await until('PostgreSQL waits for the client', async () => {
      return (await backend('frozen'))?.wait_event === 'ClientWrite'
    })
    const began = performance.now()
    // Fails with a lock timeout where the frozen client keeps the lock.
    await sql`SELECT FROM accounts WHERE id = 'acc_1' FOR UPDATE`
    expect(performance.now() - began).toBeLessThan(LOCK_TIMEOUT_MS)
    await until('PostgreSQL has ended the connection', async () => {
      return (await backend('frozen')) === undefined
    })
    await client.end({ timeout: 0 })
  },
)

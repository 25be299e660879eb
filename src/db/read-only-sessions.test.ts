import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { settled } from '../../test/support/settled'
import { until } from '../../test/support/until'
import { connect } from './connect'

const { sql, url } = await useDatabase()

test.each([true, false])(
  'a pool that has read-only sessions writes again when new ones may (pipelining: %p)',
  async pipelining => {
    const database = new URL(url).pathname.slice(1)
    await sql`CREATE TABLE IF NOT EXISTS notes (n int)`
    await sql.unsafe(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
    const pool = connect(url, { name: 'pool', max: 3, pipelining })
    const write = () => pool`INSERT INTO notes VALUES (1)`
    expect(await settled(Promise.all([write(), write(), write()]))).toThrow('read-only')
    await sql.unsafe(`ALTER DATABASE ${database} RESET default_transaction_read_only`)
    await until('each session writes', async () => {
      const writes = await Promise.allSettled(Array.from({ length: 20 }, write))
      return writes.every(({ status }) => status === 'fulfilled')
    })
    await pool.end()
  },
)

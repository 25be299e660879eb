import { expect, test } from 'bun:test'
import { connect } from '../../src/db/connect'
import { isMigrated } from '../../src/db/schema-state'
import { createDatabase } from './database'

test('databases made at the same time are each migrated and empty', async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, createDatabase))
  for (const { url, drop } of databases) {
    const sql = connect(url, { name: 'test', max: 1 })
    expect(await isMigrated(sql)).toBe(true)
    await sql.end()
    await drop()
  }
  expect(new Set(databases.map(({ url }) => url)).size).toBe(8)
})

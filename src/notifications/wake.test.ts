import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { createLogLines } from '../../test/support/log-lines'
import { until } from '../../test/support/until'
import { connect } from '../db/connect'
import { createWaker } from './wake'

const { sql, url } = await useDatabase()

test('a LISTEN that finds no connection says so, and when there is one', async () => {
  const database = new URL(url).pathname.slice(1)
  const limitTo = (connections: number) =>
    sql.unsafe(`ALTER DATABASE ${database} CONNECTION LIMIT ${connections}`)
  const { log, lines } = createLogLines()
  const late = connect(url, { name: 'late', max: 1 })
  const waker = createWaker(url)
  await limitTo(0)
  const unlisten = await waker.listen(late, () => {}, { log, what: 'deliveries' })
  expect(lines).toEqual([
    expect.stringMatching(
      /^PostgreSQL refused LISTEN: too many connections .* CONNECTION LIMIT .* once a second/,
    ),
  ])
  await limitTo(-1)
  await until('it listens', async () => lines.length > 1)
  expect(lines[1]).toBe('LISTEN for due deliveries: available again.')
  await unlisten()
  await late.end()
  await waker.stop()
})

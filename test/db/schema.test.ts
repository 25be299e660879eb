import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { connect } from '../../src/db/connect'
import { createDatabase } from '../support/database'
import { describeSchema } from '../support/db/describe-schema'

const FILE = join(import.meta.dir, '../../src/db/schema.sql')
const HEAD = `-- The full schema in one place, to read and not to run. Written by \`bun run schema\` from what \`arden migrate\` makes.
-- Why a column or an index exists is in migrations/, and what a function does in functions/.

`

test('src/db/schema.sql is the schema that migrations and functions make', async () => {
  const database = await createDatabase()
  const sql = connect(database.url, { name: 'test', max: 1 })
  const schema = HEAD + (await describeSchema(sql))
  await sql.end()
  await database.drop()
  if (process.env.UPDATE_SCHEMA === '1') await Bun.write(FILE, schema)
  expect(await Bun.file(FILE).text(), 'Run: bun run schema').toBe(schema)
})

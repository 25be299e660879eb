import { hostname } from 'node:os'
import { ensureFirstAccount } from '../../src/accounts/store'
import type { Sql } from '../../src/db/connect'
import { createKey } from '../../src/keys/store'

/** A live key of the first account of an empty, migrated database: for processes that tests start themselves. */
export const createFirstKey = async (sql: Sql): Promise<string> => {
  const actor = { type: 'cli', id: `tests@${hostname()}`, name: 'tests' } as const
  const { key } = await sql.begin(async tx => {
    const account = await ensureFirstAccount(tx, actor)
    if (account === undefined) throw new Error('the database was not empty')
    return createKey(
      tx,
      { accountId: account.id, actor, address: null },
      { name: 'tests', scopes: ['read', 'write'], mode: 'live', rate_limit: 100_000 },
    )
  })
  return key
}

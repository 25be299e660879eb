import type { Caller, Mode } from '../../src/caller'
import type { Sql } from '../../src/db/connect'
import { newId } from '../../src/ids'

/** A caller of a new account, or of the account given: for tests of domain functions without HTTP. */
export const createCaller = async (
  sql: Sql,
  mode: Mode = 'live',
  accountId?: string,
): Promise<Caller> => {
  const id = accountId ?? newId('acc')
  if (accountId === undefined) await sql`INSERT INTO accounts (id, name) VALUES (${id}, 'Test')`
  return {
    accountId: id,
    mode,
    actor: { type: 'key', id: newId('key'), name: 'test' },
    scopes: ['write'],
    address: '127.0.0.1',
  }
}

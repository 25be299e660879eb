import { expect, test } from 'bun:test'
import { useDatabase } from '../../test/support/database'
import { createAccount } from '../accounts/store'
import type { Actor } from '../caller'
import { createAdmit } from './admit'
import { listRateLimitUsage } from './rate-limit-usage'
import { createKey, revokeKey } from './store'
import { ALL_MODES } from './visibility'

const actor: Actor = { type: 'cli', id: 'tests', name: 'tests' }

const { sql } = await useDatabase()

test('lists the requests of the last hour of active keys, not of revoked and expired ones', async () => {
  const account = await sql.begin(tx => createAccount(tx, actor, 'Test'))
  const access = { accountId: account.id, actor, address: null, modes: ALL_MODES }
  const newKey = () =>
    sql.begin(tx =>
      createKey(tx, access, { name: 'k', scopes: ['read'], mode: 'live', rate_limit: 10 }),
    )
  const admit = createAdmit(sql)
  const [active, revoked, expired] = [await newKey(), await newKey(), await newKey()]
  for (const { key } of [active, active, revoked, expired]) await admit(key)
  await sql.begin(tx => revokeKey(tx, access, revoked.id))
  await sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${expired.id}`
  expect(await listRateLimitUsage(sql, access)).toEqual({ [active.id]: 2 })
})

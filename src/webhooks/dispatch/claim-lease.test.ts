import { describe, expect, test } from 'bun:test'
import { useDatabase } from '../../../test/support/database'
import { until } from '../../../test/support/until'
import { outcome, recordAttempt } from '../../../test/support/webhooks/attempt'
import { createClaims } from '../../../test/support/webhooks/claims'
import { deliveryRow } from '../../../test/support/webhooks/delivery-row'
import { createSample } from '../../../test/support/webhooks/sample'
import { KIND } from '../queue/entry'

const { sql } = await useDatabase()
const sample = await createSample(sql, 'https://hooks.example.com/in?token=t')

type Claims = ReturnType<typeof createClaims>

const row = (id: string) => deliveryRow(sql, id)

describe('the outbox', () => {
  const due = async () => {
    await sql`TRUNCATE delivery_queue, claimers`
    return [await sample.delivery(), await sample.delivery(), await sample.delivery()]
  }
  const claimedBy = async (claims: Claims) => (await claims.claim(5)).map(({ id }) => id).sort()

  test('gives each due delivery to one claim, the longest due first', async () => {
    const ids = await due()
    const claims = createClaims(sql)
    const [one] = await claims.claim(1)
    expect(one).toMatchObject({ id: ids[0] ?? '', run: 1, webhookId: sample.webhookId })
    const other = createClaims(sql)
    const rest = (await Promise.all([claims.claim(5), other.claim(5)])).flat()
    expect(rest.map(claim => claim.id).sort()).toEqual(ids.slice(1).sort())
    expect([await claimedBy(claims), await claimedBy(other)]).toEqual([[], []])
  })

  test('makes the claims of a dead dispatcher due again after the lease, and a released one at once', async () => {
    const ids = await due()
    const [dead, other] = [createClaims(sql), createClaims(sql)]
    const claimed = await dead.claim(5)
    expect(claimed.map(({ id }) => id).sort()).toEqual(ids.toSorted())
    await dead.release(claimed.slice(0, 1))
    expect(await claimedBy(dead)).toEqual([claimed[0]?.id ?? ''])
    const [{ left }] = await sql<[{ left: number }]>`
      SELECT extract(epoch FROM until - clock_timestamp())::float8 AS left FROM claimers`
    expect(left).toBeWithin(1, 4)
    expect(await claimedBy(other)).toEqual([])
    await sql`UPDATE claimers SET until = until - interval '10 s'`
    const again = new Set<string>()
    await until('the other one has all', async () => {
      for (const id of await claimedBy(other)) again.add(id)
      return again.size === 3
    })
    expect([...again].sort()).toEqual(ids.sort())
  })

  test('keeps only the time of reconciliation of a started delivery', async () => {
    await due()
    const claims = createClaims(sql)
    const claimed = await claims.claim(5)
    const [recorded] = claimed
    await recordAttempt(sql, recorded?.id ?? '', outcome(200))
    await claims.handOver(claimed)
    expect(await row(recorded?.id ?? '')).toMatchObject({ kind: null, check_at: null })
    const other = await row(claimed[1]?.id ?? '')
    expect(other).toMatchObject({ kind: KIND.owned, claimer: null })
    expect(other.check_at.getTime() - Date.now()).toBeWithin(55_000, 61_000)
  })
})

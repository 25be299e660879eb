import { expect, spyOn, test } from 'bun:test'
import { LockTimeout, type Tx } from '../../src/db/connect'
import { Unconfirmed } from '../../src/errors'
import type { Transact } from '../../src/http/change'
import { redeliverFailed } from '../../src/webhooks/deliveries/bulk-redelivery'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { lockUntilReleased } from '../support/db/locks'
import { person, sessionToken } from '../support/http/person'
import { settled } from '../support/settled'
import { until } from '../support/until'
import { addDeliveries } from '../support/webhooks/deliveries'

// Contract 5.14. Nothing is sent: no worker runs.

const arden = await useArden({ serve: true })
const live = await arden.client()
const at = new Date(Date.now() - 60_000)

const webhookWith = async (...groups: { count: number; error: string }[]) => {
  const webhook = { url: 'http://127.0.0.1:9/', events: ['article.deleted'] }
  const { id } = (await live.post('/webhooks', webhook)).body.data
  for (const group of groups)
    await addDeliveries(arden, { status: 'FAILED', at, webhookId: id, ...group })
  return id as string
}
const retrying = async (webhookId: string) => {
  const [{ count }] = await arden.sql<[{ count: number }]>`
    SELECT count(*) FROM deliveries WHERE webhook_id = ${webhookId} AND status = 'RETRYING'`
  return count
}
const lastId = async (webhookId: string) => {
  const [row] = await arden.sql<{ id: string }[]>`
    SELECT max(id) AS id FROM deliveries WHERE webhook_id = ${webhookId}`
  return row?.id ?? ''
}

test('commits each 2,000 deliveries by themselves, and responds with the number of all', async () => {
  const id = await webhookWith({ count: 5_000, error: 'x' })
  const last = await lastId(id)
  const release = await lockUntilReleased(
    arden.sql,
    tx => tx`SELECT FROM deliveries WHERE id = ${last} FOR UPDATE`,
  )
  const response = live.post(`/webhooks/${id}/redeliver`, { status: 'FAILED' })
  await until('two batches are committed', async () => (await retrying(id)) === 4_000)
  await release()
  expect(await response).toMatchObject({ status: 202, body: { data: { count: 5_000 } } })
  expect(await retrying(id)).toBe(5_000)
})

test('reports how many were redelivered when a later batch fails, and a repeated call redelivers the others', async () => {
  const id = await webhookWith({ count: 3_000, error: 'x' })
  const caller = await createCaller(arden.sql, 'live', arden.accountId)
  let transactions = 0
  const transact: Transact = async work => {
    if (transactions++ > 0) throw new LockTimeout()
    return arden.sql.begin(tx => work(tx as Tx)) as ReturnType<typeof work>
  }
  expect(await settled(redeliverFailed(transact, caller, id, undefined))).toThrow(
    '2000 deliveries are redelivered, the others are not: PostgreSQL was unavailable or too busy. Repeat the request for the others.',
  )
  expect(await retrying(id)).toBe(2_000)
  const { body } = await live.post(`/webhooks/${id}/redeliver`, { status: 'FAILED' })
  expect(body.data).toEqual({ count: 1_000 })
})

test('reports how many were redelivered, and that more may be, when a later batch is not confirmed', async () => {
  const id = await webhookWith({ count: 3_000, error: 'x' })
  const caller = await createCaller(arden.sql, 'live', arden.accountId)
  let transactions = 0
  const transact: Transact = async work => {
    const result = (await arden.sql.begin(tx => work(tx as Tx))) as Awaited<ReturnType<typeof work>>
    if (transactions++ > 0) throw new Unconfirmed('Repeat it with the same Idempotency-Key.', {})
    return result
  }
  expect(await settled(redeliverFailed(transact, caller, id, undefined))).toThrow(
    '2000 deliveries are redelivered, and up to 2000 more may be: PostgreSQL has not confirmed them. Look at the deliveries before you repeat the request for the others: one that is sent again twice arrives twice.',
  )
  expect(await retrying(id)).toBe(3_000)
})

test('responds after 30 s with how many were redelivered until then', async () => {
  const id = await webhookWith({ count: 3_000, error: 'x' })
  const caller = await createCaller(arden.sql, 'live', arden.accountId)
  const clock = spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(30_001)
  const transact: Transact = work =>
    arden.sql.begin(tx => work(tx as Tx)) as ReturnType<typeof work>
  const result = redeliverFailed(transact, caller, id, undefined)
  expect(await settled(result.finally(() => clock.mockRestore()))).toThrow(
    '2000 deliveries are redelivered, the others are not: they took longer than 30 s. Repeat the request for the others.',
  )
  expect(await retrying(id)).toBe(2_000)
})

test('of a selection by its error redelivers those that match, in every batch', async () => {
  const member = person(arden.url, await sessionToken(arden, 'member'))
  const id = await webhookWith({ count: 3_000, error: 'refused' }, { count: 1_500, error: 'reset' })
  const redeliver = (error: string) =>
    member('POST', '/deliveries/redelivery', {
      filter: { webhook_id: id, status: 'FAILED', error },
    })
  expect((await redeliver('reset')).body.data).toEqual({ count: 1_500, left_out: 0 })
  await live.patch(`/webhooks/${id}`, { enabled: false })
  expect((await redeliver('refused')).body.data).toEqual({ count: 0, left_out: 3_000 })
})

import { describe, expect, test } from 'bun:test'
import { matchDeliveries } from '../../src/webhooks/deliveries/filter'
import { useArden } from '../support/arden'
import { createCaller } from '../support/caller'
import { useReceiver } from '../support/receiver'
import {
  finalDeliveries,
  type Hook,
  makeArticles,
  oneAttemptEach,
  subscribe,
} from '../support/webhooks/webhooks'

// GET /deliveries: of all webhooks, with counts by reason.

const hooks: { [name in 'fine' | 'broken' | 'unreachable' | 'disabled']: Hook } = {} as never
const receiver = useReceiver(one =>
  one.path === '/broken' ? new Response('', { status: 503 }) : new Response(),
)
const arden = await useArden({ serve: true, worker: true })
const live = await arden.client()
hooks.fine = await subscribe(live, `${receiver.url}/fine`)
await makeArticles(live, 2)
await finalDeliveries(live, hooks.fine, 2)
await live.patch(`/webhooks/${hooks.fine.id}`, { events: ['article.deleted'] })
hooks.broken = await subscribe(live, `${receiver.url}/broken`)
await oneAttemptEach(arden, live, hooks.broken, 3)
await live.patch(`/webhooks/${hooks.broken.id}`, { events: ['article.deleted'] })
hooks.unreachable = await subscribe(live, 'http://127.0.0.1:9', ['article.created'])
await oneAttemptEach(arden, live, hooks.unreachable, 2)
hooks.disabled = await subscribe(live, receiver.url, ['article.created', 'keyword.created'])
await live.patch(`/webhooks/${hooks.disabled.id}`, { enabled: false })
await live.delete(`/webhooks/${hooks.unreachable.id}`)
await makeArticles(live, 1)

const list = async (query = '', as = live) => (await as.get(`/deliveries${query}`)).body
const times = (all: { created_at: string }[]) => all.map(one => one.created_at).sort()

describe('GET /deliveries', () => {
  test('?status=FAILED: the failed deliveries of all webhooks, a deleted one too, newest first, with their reasons', async () => {
    const { data, reasons, next_cursor } = await list('?status=FAILED')
    expect(data.map((one: { webhook_id: string }) => one.webhook_id)).toEqual([
      hooks.disabled.id,
      ...Array(2).fill(hooks.unreachable.id),
      ...Array(3).fill(hooks.broken.id),
    ])
    expect(reasons).toEqual([
      { error: 'the endpoint responded with 503', count: 3 },
      { error: 'connection refused', count: 2 },
      { error: 'the webhook is disabled', count: 1 },
    ])
    expect(next_cursor).toBeNull()
  })

  test('without a filter: all of them; each filter narrows the list and the reasons alike', async () => {
    const { data, reasons } = await list()
    expect(data).toHaveLength(8)
    expect(reasons).toHaveLength(3)
    expect(await list('?status=DELIVERED')).toMatchObject({
      data: Array(2).fill({ status: 'DELIVERED', webhook_id: hooks.fine.id }),
      reasons: [],
    })
    expect(await list('?status=RETRYING')).toEqual({ data: [], reasons: [], next_cursor: null })
    const broken = await list(`?webhook_id=${hooks.broken.id}`)
    expect([broken.data.length, broken.reasons.length]).toEqual([3, 1])
    expect((await list('?event=article.deleted')).data).toEqual([])
    expect((await list('?event=article.created')).data).toHaveLength(8)
    const middle = times(data)[4]
    const after = await list(`?created_after=${middle}`)
    const before = await list(`?created_before=${middle}`)
    expect([before.data.length, after.data.length]).toEqual([4, 3])
    expect(after.reasons.map((one: { count: number }) => one.count)).toEqual([2, 1])
  })

  test('in pages: each record once, the reasons of all pages on each', async () => {
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await list(`?status=FAILED&limit=4${cursor}`)
      seen.push(...page.data.map((one: { id: string }) => one.id))
      expect(page.reasons[0]).toEqual({ error: 'the endpoint responded with 503', count: 3 })
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(seen).toEqual((await list('?status=FAILED')).data.map((one: { id: string }) => one.id))
  })

  test('shows nothing of another account or mode, and refuses what is no time, status or id', async () => {
    const { accountId } = await createCaller(arden.sql)
    const empty = { data: [], reasons: [], next_cursor: null }
    for (const as of [await arden.client({ accountId }), await arden.client({ mode: 'test' })]) {
      expect(await list('', as)).toEqual(empty)
      expect(await list(`?webhook_id=${hooks.broken.id}`, as)).toEqual(empty)
    }
    for (const query of [
      '?status=LOST',
      '?webhook_id=x',
      '?created_after=today',
      '?created_after=2026-02-31T99:00:00Z',
      '?why=x',
    ])
      expect((await live.get(`/deliveries${query}`)).status).toBe(422)
  })

  test('finds the few that did not arrive by their index, among the many that did', async () => {
    const plan = async (status: 'FAILED' | 'RETRYING') => {
      const rows = await arden.sql.begin(async tx => {
        await tx`SET LOCAL enable_seqscan = off`
        return tx`
          EXPLAIN SELECT id FROM deliveries
          WHERE ${matchDeliveries(tx, { accountId: arden.accountId, mode: 'live' }, { status })}
          ORDER BY id DESC LIMIT 51`
      })
      return rows.map(row => row['QUERY PLAN']).join('\n')
    }
    expect(await plan('FAILED')).toContain('deliveries_failing')
    expect(await plan('RETRYING')).toMatch(/delivery_queue_pkey.*Index Cond: .*id = ANY/s)
  })
})

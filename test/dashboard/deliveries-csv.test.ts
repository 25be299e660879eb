import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { COOKIE, sessionToken } from '../support/http/person'
import { addDeliveries } from '../support/webhooks/deliveries'

/** Deliveries as a CSV file (contract 5.10). */

const arden = await useArden({ serve: true })
const token = await sessionToken(arden, 'viewer')
const live = await arden.client()
const url = 'http://127.0.0.1:9/=hooks?a="b",c'
const make = async () =>
  (await live.post('/webhooks', { url, events: ['article.created'] })).body.data.id as string
const [busy, deleted] = [await make(), await make()]
const at = new Date('2026-01-31T12:00:00.000Z')
await addDeliveries(arden, { status: 'DELIVERED', at, count: 1_200, webhookId: busy })
await addDeliveries(arden, { status: 'FAILED', at, count: 2, webhookId: deleted })
await live.delete(`/webhooks/${deleted}`)

const download = async (query = '', mode = 'live') => {
  const response = await fetch(`${arden.url}/dashboard/api/deliveries/csv${query}`, {
    headers: { cookie: `${COOKIE}=${token}`, 'x-arden-mode': mode },
  })
  const lines = (await response.text()).trimEnd().split('\r\n')
  return { status: response.status, headers: response.headers, lines }
}

test('the file has all deliveries that match, newest first, those of deleted webhooks included', async () => {
  const { status, headers, lines } = await download()
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toBe('attachment; filename="deliveries.csv"')
  expect(lines[0]).toEndWith(
    'created_at,id,event,status,attempts,http_status,error,delivered_at,webhook_id,url,event_id,test',
  )
  expect(lines).toHaveLength(1 + 1_202)
  const ids = lines.slice(1).map(line => line.split(',')[1] ?? '')
  expect(new Set(ids).size).toBe(1_202)
  expect(ids).toEqual(ids.toSorted().reverse())

  const failed = (await download('?status=FAILED')).lines
  expect(failed).toHaveLength(1 + 2)
  expect(failed[1]).toContain(`,FAILED,`)
  expect(failed[1]).toContain(`,${deleted},"http://127.0.0.1:9/=hooks?a=""b"",c",`)
  expect((await download(`?webhook_id=${busy}`)).lines).toHaveLength(1 + 1_200)
})

test('the file has nothing of the other mode, and a wrong filter is refused', async () => {
  expect((await download('', 'test')).lines).toHaveLength(1)
  expect((await download('?status=LOST')).status).toBe(422)
})

import { beforeAll, describe, expect, test } from 'bun:test'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'
import { person, sessionToken } from '../support/http/person'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import {
  deliveriesOf,
  finalDeliveries,
  type Hook,
  makeArticles,
  oneAttemptEach,
  type Record,
  subscribe,
} from '../support/webhooks/webhooks'

/** The pages of deliveries and incidents. */

let status = 500

const HOSTILE = '{"error":"<script>document.title = 1</script>","hint":"try later"}'

let body = HOSTILE
const receiver = useReceiver(() => new Response(body, { status }))
const dashboard = await useDashboard(
  { serve: true, worker: true },
  { ARDEN_TEMPORAL_UI_URL: 'https://temporal.example.com/' },
)
const live = await dashboard.client()
let hook: Hook
let failed: Record[]

beforeAll(async () => {
  hook = await subscribe(live, `${receiver.url}/hook`)
  failed = await oneAttemptEach(dashboard, live, hook, 3)
  // The other tests make articles, too.
  await live.patch(`/webhooks/${hook.id}`, { events: ['article.deleted'] })
})

const statuses = async (of: Hook) => (await deliveriesOf(live, of)).map(({ status }) => status)
const REASON = 'the endpoint responded with 500'

describe('Deliveries', () => {
  test('filters by status, event, webhook, time and id, and keeps the filters in the address', async () => {
    const page = await dashboard.open('/live/deliveries')
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row')
    const count = (expected: number) =>
      until(`${expected} deliveries are shown`, async () => (await rows.count()) === expected + 1)
    await count(3)
    await look(page, 'deliveries')
    await page.getByLabel('Event').selectOption('article.created')
    await page.getByLabel('Status').selectOption('FAILED')
    await page.getByLabel('Time').selectOption('Last hour')
    await page.getByLabel('Webhook').selectOption(hook.id)
    await count(3)
    await page.getByRole('button', { name: /^The endpoint responded with 500/ }).click()
    await count(3)
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      event: 'article.created',
      status: 'FAILED',
      hours: '1',
      webhook: hook.id,
      error: REASON,
    })
    await page.reload()
    await count(3)
    await page.getByLabel('Search by ID').fill(failed[1].id)
    await count(1)
    await page.getByLabel('Search by ID').fill(failed[1].event_id)
    await count(1)
    await page.getByLabel('Search by ID').fill('')
    await page.getByLabel('Status').selectOption('DELIVERED')
    await page.getByText('No matching deliveries').waitFor()
    await look(page, 'deliveries-none')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await count(3)
    await page.getByLabel('Time').selectOption('Custom range…')
    await page.getByLabel('To').fill('2026-01-01T00:00')
    await page.getByText('No matching deliveries').waitFor()
  }, 120_000)

  test('shows the exact request, its signature, attempts and workflow, with bodies as text', async () => {
    const [one] = failed
    const page = await dashboard.open('/live/deliveries')
    await page.getByLabel('Search by ID').fill(one.id)
    await page.locator(`a[href$="${one.id}"]`).click()
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    const sent = receiver.received.find(
      ({ headers }) => headers['x-webhook-delivery-id'] === one.id,
    )
    await page.getByText(sent?.headers['x-webhook-signature'] ?? 'no signature').waitFor()
    expect(await page.getByLabel('request body', { exact: true }).textContent()).toBe(
      sent?.body ?? '',
    )
    await page.getByText(HOSTILE).waitFor()
    await page.getByText(/^The receiver failed while it handled the request\./).waitFor()
    expect(await page.title()).toBe('article.created · Arden')
    expect(await page.getByRole('link', { name: 'Open in Temporal' }).getAttribute('href')).toBe(
      `https://temporal.example.com/namespaces/default/workflows/${encodeURIComponent(one.workflow_id)}`,
    )
    await look(page, 'delivery')
    await page.getByRole('button', { name: 'Format' }).first().click()
    checkOffences(page)
  })

  test('redelivers a delivery and shows its new attempt automatically', async () => {
    const own = await subscribe(live, `${receiver.url}/one`, ['article.created'])
    const [one] = await oneAttemptEach(dashboard, live, own)
    const page = await dashboard.open(`/live/deliveries/${one.id}`)
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    status = 200
    body = 'x'.repeat(70_000)
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('Attempt 2', { exact: true }).waitFor()
    await page.getByText('Arden keeps the first 64 KiB of a response.').waitFor()
    body = HOSTILE
    await page.getByText('Delivered', { exact: true }).first().waitFor()
    await look(page, 'delivery-again')
    status = 500
    await live.delete(`/webhooks/${own.id}`)
  })

  test('shows why a delivery to a disabled webhook failed, and that it has no workflow', async () => {
    const own = await subscribe(live, `${receiver.url}/disabled`)
    await live.patch(`/webhooks/${own.id}`, { enabled: false })
    await makeArticles(live, 1)
    const [one] = await deliveriesOf(live, own)
    const page = await dashboard.open(`/live/deliveries/${one.id}`)
    await page.getByText('the webhook is disabled').waitFor()
    await page
      .getByText(/^The webhook was disabled at that time\. .* Then redeliver it\.$/)
      .waitFor()
    await page.getByText('None. This delivery did not need one.').waitFor()
    // Not "not yet": no attempt follows.
    await page.getByText('no', { exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Open in Temporal' }).count()).toBe(0)
    await look(page, 'delivery-disabled')
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await page
      .getByText(/Enable it first/)
      .first()
      .waitFor()
    await live.delete(`/webhooks/${own.id}`)
  })

  test('links an ordered delivery to the one that it waits for', async () => {
    const own = await subscribe(live, `${receiver.url}/ordered`)
    await live.patch(`/webhooks/${own.id}`, { ordered: true })
    await makeArticles(live, 2)
    const [waiting, first] = await deliveriesOf(live, own)
    const page = await dashboard.open(`/live/webhooks/${own.id}`)
    await page.getByText('waiting for an earlier delivery').waitFor()
    await page.goto(`${dashboard.url}/dashboard/live/deliveries/${waiting.id}`)
    await page.getByRole('link', { name: first.id }).waitFor()
    await page.getByText('Not started').waitFor()
    expect(await page.getByRole('link', { name: 'Open in Temporal' }).count()).toBe(0)
    await look(page, 'delivery-waits')
    await page.getByRole('link', { name: first.id }).click()
    await page.getByText('Sequence number').waitFor()
    // None is to be among what failed in the last hour, below.
    status = 200
    await finalDeliveries(live, own, 2)
    status = 500
    await live.delete(`/webhooks/${own.id}`)
  })

  test('redelivers the selected deliveries, then all that match', async () => {
    status = 200
    const page = await dashboard.open(`/live/deliveries?status=FAILED&webhook=${hook.id}`)
    await page.getByLabel(`Select article.created ${failed[0].id}`).check()
    await page.getByText('1 selected').waitFor()
    await look(page, 'deliveries-selected')
    await page.getByRole('button', { name: 'Redeliver', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('Redelivering 1 delivery').waitFor()
    await until('it is delivered', async () => (await statuses(hook)).includes('DELIVERED'))

    await page.getByRole('button', { name: 'Redeliver all failed' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText(/^Redeliver \d+ deliveries\?$/).waitFor()
    await look(page, 'deliveries-redeliver-all')
    await dialog.getByRole('button', { name: 'Redeliver all' }).click()
    await until('all are delivered', async () =>
      (await statuses(hook)).every(one => one === 'DELIVERED'),
    )
    await page.getByText('No matching deliveries').waitFor()

    await page.goto(`${dashboard.url}/dashboard/live/webhooks/${hook.id}`)
    await page.getByRole('button', { name: 'Redeliver failed' }).click()
    await dialog.getByText('Nothing to redeliver').waitFor()
    expect(await dialog.getByRole('button', { name: 'Redeliver all' }).isDisabled()).toBe(true)
    status = 500
  })

  test('says how many of the selected deliveries it will skip, and why', async () => {
    const own = await subscribe(live, `${receiver.url}/selected`)
    await oneAttemptEach(dashboard, live, own, 2)
    await live.patch(`/webhooks/${own.id}`, { events: ['article.deleted'] })
    const off = await subscribe(live, `${receiver.url}/off`)
    const [one] = await oneAttemptEach(dashboard, live, off)
    await live.patch(`/webhooks/${off.id}`, { enabled: false })
    const page = await dashboard.open('/live/deliveries?status=FAILED&hours=1')
    const dialog = page.getByRole('alertdialog')
    const redeliver = () => page.getByRole('button', { name: 'Redeliver', exact: true }).click()
    await page.getByLabel(`Select article.created ${one.id}`).check()
    await redeliver()
    await dialog.getByText('Nothing to redeliver').waitFor()
    await dialog.getByText('1 delivery cannot be redelivered because its webhook').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    for (const { id } of await deliveriesOf(live, own))
      await page.getByLabel(`Select article.created ${id}`).check()
    await redeliver()
    await dialog.getByText('Redeliver 2 deliveries?').waitFor()
    await dialog.getByText('1 delivery will be skipped because its webhook').waitFor()
    await look(page, 'deliveries-redeliver-selected')
    status = 200
    await dialog.getByRole('button', { name: 'Redeliver' }).click()
    await page.getByText('Redelivering 2 deliveries').waitFor()
    await until('both are delivered', async () =>
      (await statuses(own)).every(status => status === 'DELIVERED'),
    )
    status = 500
    for (const { id } of [own, off]) await live.delete(`/webhooks/${id}`)
  })

  test('skips deliveries that retry, or whose webhook is disabled, deleted or of another account', async () => {
    const own = await subscribe(live, `${receiver.url}/rules`)
    const [one] = await oneAttemptEach(dashboard, live, own)
    const owner = person(dashboard.url, await sessionToken(dashboard))
    const send = (mode: string) =>
      owner('POST', '/deliveries/redelivery', { ids: [one.id] }, { 'x-arden-mode': mode })
    expect((await send('test')).body.data).toEqual({ count: 0, left_out: 0 })
    await live.patch(`/webhooks/${own.id}`, { enabled: false })
    expect((await send('live')).body.data).toEqual({ count: 0, left_out: 1 })
    await live.patch(`/webhooks/${own.id}`, { enabled: true })
    await live.post(`/webhooks/${own.id}/pause`)
    expect((await send('live')).body.data).toEqual({ count: 1, left_out: 0 })
    expect((await send('live')).body.data).toEqual({ count: 0, left_out: 1 })
    expect((await owner('POST', '/deliveries/redelivery', {})).status).toBe(422)
    await live.delete(`/webhooks/${own.id}`)
    // Its page is there all the same.
    const read = await owner('GET', `/deliveries/${one.id}`)
    expect([read.status, read.body.data.receiver.deleted]).toEqual([200, true])
  })

  test('shows a readable error for an unknown delivery and for a list that fails to load', async () => {
    const page = await dashboard.open('/live/deliveries/dlv_00000000000000000000000000')
    await page.getByRole('alert').getByText('dlv_00000000000000000000000000').waitFor()
    await page.getByRole('alert').getByText('Request').waitFor()
    await page.route('**/api/deliveries?*', route => route.abort())
    await page.route('**/api/deliveries', route => route.abort())
    await page.goto(`${dashboard.url}/dashboard/live/deliveries`)
    await page.getByText('The server did not respond.').waitFor()
    await page.unroute('**/api/deliveries')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table', { name: 'Deliveries' }).waitFor()
  })

  test('shows a viewer deliveries without buttons that redeliver', async () => {
    const page = await dashboard.open('/live/deliveries', { role: 'viewer' })
    await page.getByRole('table', { name: 'Deliveries' }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.goto(`${dashboard.url}/dashboard/live/deliveries/${failed[0].id}`)
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Redeliver/ }).count()).toBe(0)
  })
})

describe('Incidents', () => {
  test('groups failures of the last hour by host and reason, with buttons to pause and redeliver', async () => {
    const empty = await dashboard.open('/test/incidents')
    await empty.getByText('No failures').waitFor()
    await look(empty, 'incidents-none')
    await empty.context().close()

    const other = await subscribe(live, 'http://127.0.0.1:1/dead')
    await oneAttemptEach(dashboard, live, other, 4)
    const page = await dashboard.open('/live/incidents')
    await page.getByRole('heading', { name: '127.0.0.1:1', exact: true }).waitFor()
    await page.getByText('4 failed', { exact: true }).waitFor()
    await look(page, 'incidents')
    await page.getByRole('button', { name: 'Pause 127.0.0.1:1/dead', exact: true }).click()
    await page.getByRole('button', { name: 'Resume 127.0.0.1:1/dead', exact: true }).waitFor()
    await page
      .getByRole('button', { name: 'Redeliver failed deliveries to 127.0.0.1:1/dead' })
      .click()
    await page.getByText('Redeliver 4 deliveries?').waitFor()
    await page.getByRole('button', { name: 'Redeliver all' }).click()
    await page.getByText('Redelivering 4 deliveries').waitFor()
    // They wait because it is paused.
    expect(new Set(await statuses(other))).toEqual(new Set(['RETRYING']))
    await dashboard.sql`
      UPDATE deliveries SET attempt_limit = attempt_count + 1 WHERE webhook_id = ${other.id}`
    await page.goto(`${dashboard.url}/dashboard/live/incidents?hours=6`)
    await live.post(`/webhooks/${other.id}/resume`)
    await finalDeliveries(live, other, 4)
    await page
      .getByRole('link', { name: /connection/i })
      .first()
      .click()
    await page.getByRole('table', { name: 'Deliveries' }).waitFor()
    expect(new URL(page.url()).searchParams.get('webhook')).toBe(other.id)
    checkOffences(page)
  }, 120_000)

  test('lists the reasons of a host by how many deliveries have them, whether they are retried or not', async () => {
    const slow = await subscribe(live, 'http://127.0.0.1:4/slow')
    const [, ...others] = await oneAttemptEach(dashboard, live, slow, 3)
    const change = (status: string, error: string) => dashboard.sql`
      UPDATE deliveries SET status = ${status}, error = ${error}
      WHERE id IN ${dashboard.sql(others.map(({ id }) => id))}`
    await change('RETRYING', 'timeout after 30 s')
    const page = await dashboard.open('/live/incidents')
    const host = page.locator('section', {
      has: page.getByRole('heading', { name: '127.0.0.1:4', exact: true }),
    })
    const reasons = host.getByRole('list', { name: 'Reasons' }).getByRole('link')
    await reasons.first().waitFor()
    expect(await reasons.allTextContents()).toEqual([
      'Timeout after 30 s2',
      expect.stringMatching(/1$/),
    ])
    await change('FAILED', 'timeout after 30 s')
  })

  test('names the host that failed, also after the webhook was moved to another one', async () => {
    const moved = await subscribe(live, 'http://127.0.0.1:2/moved')
    await oneAttemptEach(dashboard, live, moved)
    await live.patch(`/webhooks/${moved.id}`, { url: 'http://127.0.0.1:3/moved' })
    const page = await dashboard.open('/live/incidents')
    await page.getByRole('heading', { name: '127.0.0.1:2', exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: '127.0.0.1:3', exact: true }).count()).toBe(0)
    await live.delete(`/webhooks/${moved.id}`)
  })
})

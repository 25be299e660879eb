import { beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { setAllPaused } from '../../src/webhooks/endpoints/pause'
import { look, useDashboard } from '../support/dashboard/dashboard'
import { useReceiver } from '../support/receiver'
import { until } from '../support/until'
import { deliveriesOf, makeArticles, subscribe } from '../support/webhooks/webhooks'

/** What the page of a delivery says while the delivery is not final. */

type Respond = () => Response | Promise<Response>
const good: Respond = () => new Response('ok')
let respond = good
beforeEach(() => {
  respond = good
})
const receiver = useReceiver(() => respond())
const dashboard = await useDashboard(
  { serve: true, worker: true },
  { ARDEN_TEMPORAL_UI_URL: 'https://temporal.example.com' },
)
const live = await dashboard.client()

const newWebhook = (path: string) => subscribe(live, `${receiver.url}/${path}`)
/** The page of the only delivery of a webhook. */
const openDelivery = async (hook: { id: string; url: string }): Promise<Page> => {
  const [{ id }] = await deliveriesOf(live, hook)
  return dashboard.open(`/live/deliveries/${id}`)
}
const steps = (page: Page) => page.getByRole('list', { name: 'Attempts' })
const setSchedule = (hook: { id: string }, at: Date) => dashboard.sql`
  UPDATE deliveries SET next_attempt_at = ${at} WHERE webhook_id = ${hook.id}`

test('its request is in progress', async () => {
  const gate = Promise.withResolvers<void>()
  respond = () => gate.promise.then(good)
  const hook = await newWebhook('hangs')
  const before = receiver.received.length
  await makeArticles(live, 1)
  await until('the request is there', () => receiver.received.length > before)
  const page = await openDelivery(hook)
  await steps(page).getByText('First attempt in progress').waitFor()
  await look(page, 'delivery-under-way')
  gate.resolve()
  await page.getByText('Delivered', { exact: true }).first().waitFor()
  await live.delete(`/webhooks/${hook.id}`)
})

test('the request of its second attempt is in progress, on a page that was open before', async () => {
  const gate = Promise.withResolvers<void>()
  let requests = 0
  respond = () => (++requests === 1 ? new Response('no', { status: 500 }) : gate.promise.then(good))
  const hook = await newWebhook('hangs-later')
  await makeArticles(live, 1)
  const page = await openDelivery(hook)
  await steps(page).getByText('Next attempt in progress').waitFor()
  // The page can show it before the receiver has it.
  await until('it is sent', () => requests === 2)
  gate.resolve()
  await page.getByText('Delivered', { exact: true }).first().waitFor()
  await live.delete(`/webhooks/${hook.id}`)
})

test('its webhook is paused', async () => {
  const hook = await newWebhook('paused')
  await live.post(`/webhooks/${hook.id}/pause`)
  await makeArticles(live, 1)
  const page = await openDelivery(hook)
  await steps(page).getByText('The webhook is paused.').waitFor()
  await look(page, 'delivery-paused')
  await page.getByText('Not started', { exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Open in Temporal' }).count()).toBe(0)
  expect(
    await steps(page)
      .getByText(/ago|in progress/)
      .count(),
  ).toBe(0)
  await live.post(`/webhooks/${hook.id}/resume`)
  await page.getByText('Delivered', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Open in Temporal' }).waitFor()
  await live.delete(`/webhooks/${hook.id}`)
})

test('its webhook is paused and disabled: it fails when the webhook is resumed, as the dialog says', async () => {
  const hook = await newWebhook('paused-and-disabled')
  await live.post(`/webhooks/${hook.id}/pause`)
  await makeArticles(live, 1)
  const page = await openDelivery(hook)
  await steps(page).getByText('The webhook is paused.').waitFor()

  const webhook = await dashboard.open(`/live/webhooks/${hook.id}`)
  const choose = async (item: string) => {
    await webhook.getByRole('button', { name: 'More actions' }).click()
    await webhook.getByRole('menuitem', { name: item }).click()
  }
  const dialog = webhook.getByRole('alertdialog')
  await choose('Disable')
  await dialog.getByText('those that wait fail when you resume the webhook').waitFor()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await steps(page).getByText('This delivery fails when the webhook is resumed').waitFor()
  await look(page, 'delivery-will-fail')
  await choose('Enable')
  await dialog
    .getByText('New and waiting deliveries are sent when you resume the webhook')
    .waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await webhook.getByRole('button', { name: /^Resume/ }).click()
  await webhook.getByText('Waiting deliveries fail, because it is disabled.').waitFor()
  await steps(page).getByText('the webhook is disabled').waitFor()
  await webhook.getByRole('button', { name: /^Pause/ }).click()
  await webhook.getByText('It is disabled, so new deliveries fail.').waitFor()
  await live.delete(`/webhooks/${hook.id}`)
})

test('all deliveries are paused, which every page says', async () => {
  const hook = await newWebhook('all-paused')
  const operator = { type: 'cli', id: 'tests', name: 'tests' } as const
  await setAllPaused(dashboard.sql, operator, true)
  await makeArticles(live, 1)
  const page = await openDelivery(hook)
  await steps(page)
    .getByText('This delivery is sent when an operator resumes all deliveries.')
    .waitFor()
  await page.getByText('An operator has paused all deliveries.').waitFor()
  await look(page, 'delivery-all-paused')
  for (const name of ['Overview', 'Deliveries', 'Articles', 'Settings']) {
    await page.getByRole('link', { name, exact: true }).first().click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await page.getByText('An operator has paused all deliveries.').waitFor()
  }
  await setAllPaused(dashboard.sql, operator, false)
  await page.getByText('New deliveries are queued').waitFor({ state: 'detached' })
  await live.delete(`/webhooks/${hook.id}`)
})

test('its time has not come, by the clock of the server: never a time in the past', async () => {
  respond = () => new Response('no', { status: 500 })
  const hook = await newWebhook('fails')
  await makeArticles(live, 1)
  await until('the first attempt has failed', async () => {
    const [one] = await deliveriesOf(live, hook)
    return one.attempt_count === 1
  })
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
  await setSchedule(hook, inHours(1))
  const page = await openDelivery(hook)
  await steps(page)
    .getByText(/^Next attempt in/)
    .waitFor()
  await page.getByRole('link', { name: 'Open in Temporal' }).waitFor()
  await page.clock.setSystemTime(inHours(2))
  await steps(page).getByText('Next attempt is due').waitFor()
  await look(page, 'delivery-due')
  await live.delete(`/webhooks/${hook.id}`)
})

test('it waits for its turn, at a slow webhook, or for a worker', async () => {
  const hook = await newWebhook('waits')
  await live.post(`/webhooks/${hook.id}/pause`)
  await makeArticles(live, 1)
  const page = await openDelivery(hook)
  await steps(page).getByText('The webhook is paused.').waitFor()
  // Resumed without a notice to the workers, so that it stays due.
  await dashboard.sql`UPDATE webhooks SET paused_at = NULL WHERE id = ${hook.id}`
  await page.reload()
  await steps(page).getByText('First attempt is due').waitFor()
  await steps(page).getByText('Other deliveries are sent first.').waitFor()
  await dashboard.sql`INSERT INTO slow_webhooks (webhook_id) VALUES (${hook.id})`
  await page.reload()
  await steps(page).getByText('one delivery at a time').waitFor()
  await dashboard.sql`DELETE FROM slow_webhooks`
  await dashboard.sql`ALTER TABLE workers ALTER COLUMN seen_at SET DEFAULT now() - interval '1 hour'`
  await dashboard.sql`DELETE FROM workers`
  await page.reload()
  await steps(page).getByText('No worker is running').waitFor()
  await look(page, 'delivery-no-worker')
  await dashboard.sql`ALTER TABLE workers ALTER COLUMN seen_at SET DEFAULT clock_timestamp()`
  await live.delete(`/webhooks/${hook.id}`)
})

test('an operator has terminated it', async () => {
  const hook = await newWebhook('terminated')
  await live.post(`/webhooks/${hook.id}/pause`)
  await makeArticles(live, 1)
  await dashboard.sql`
    UPDATE deliveries SET status = 'FAILED', error = 'stopped in Temporal' WHERE webhook_id = ${hook.id}`
  const page = await openDelivery(hook)
  await steps(page).getByText('Terminated by an operator').waitFor()
  await look(page, 'delivery-terminated')
})

import { describe, expect, test } from 'bun:test'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'
import { addDeliveries } from '../support/webhooks/deliveries'

/** The page of the overview. */
const dashboard = await useDashboard()

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

describe('the overview', () => {
  test('shows a new account where to start', async () => {
    const page = await dashboard.open('/live')
    await page.getByText('No deliveries in the last 24 hours').waitFor()
    await page.getByText('No failures').waitFor()
    await look(page, 'overview-empty')
    await page.getByRole('link', { name: 'Go to API keys' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
  })

  test('shows the first steps until they are done or dismissed', async () => {
    const page = await dashboard.open('/test')
    const steps = page.getByRole('main').getByRole('listitem')
    await page.getByText('0 of 5 done').waitFor()
    const client = await dashboard.client({ mode: 'test' })
    // The page refreshes automatically.
    await page.getByText('1 of 5 done').waitFor()
    await look(page, 'overview-first-steps')
    expect(await steps.first().getByRole('img').getAttribute('aria-label')).toBe('Done')
    await page.getByRole('link', { name: 'Create a project' }).click()
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
    await client.post('/webhooks', { url: 'https://127.0.0.1:9/arden-hooks', events: ['*'] })
    const { id } = (await client.post('/projects', { name: 'Blog' })).body.data
    await client.post('/articles', { project_id: id, title: 'Cold brew' })
    await page.goBack()
    await page.getByText('4 of 5 done').waitFor()
    await dashboard.sql`
      UPDATE deliveries SET status = 'DELIVERED', next_attempt_at = NULL WHERE mode = 'test'`
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })

    await page.goto(`${dashboard.url}/dashboard/live`)
    await page.getByRole('button', { name: 'Dismiss the first steps' }).click()
    await page.reload()
    await page.getByText('No failures').waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
  })

  test('shows how much content there is, with links to it', async () => {
    const page = await dashboard.open('/test')
    await page.getByRole('link', { name: '1 draft' }).click()
    await page.waitForURL('**/test/articles?status=DRAFT')
    await page.getByRole('link', { name: 'Cold brew' }).waitFor()
    await page.goBack()
    const content = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Content' }) })
    await content.getByText('Projects').waitFor()
    expect(await content.textContent()).toContain('Projects1')
  })

  test('shows a viewer no first steps', async () => {
    const page = await dashboard.open('/live', { role: 'viewer' })
    await page.getByText('No failures').waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
  })

  test('shows deliveries and requests as charts and tables, for a day and a month', async () => {
    await fill()
    const page = await dashboard.open('/live')
    const figures = page.locator('dl').first()
    await figures.getByText('412').waitFor()
    expect(await figures.textContent()).toContain('98% of completed deliveries')
    await page.getByText('100 left this month').waitFor()
    await look(page, 'overview')

    const chart = page.getByRole('figure', { name: 'Deliveries by outcome, last 24 hours' })
    await chart.getByRole('button', { name: 'Table' }).click()
    const rows = chart.getByRole('row')
    expect(await rows.count()).toBe(1 + 24)
    expect(await rows.last().textContent()).toEndWith('1282')
    await look(page, 'overview-table')

    await page.getByLabel('Time').selectOption('30d')
    await page.waitForURL('**/live?span=30d')
    await figures.getByText('3,412').waitFor()
    const month = page.getByRole('figure', { name: 'Requests with API keys, last 30 days' })
    await month.getByRole('button', { name: 'Table' }).click()
    expect(await month.getByRole('row').count()).toBe(1 + 30)
    await page.getByText('No deliveries').waitFor({ state: 'detached' })
    await page.reload()
    await figures.getByText('3,412').waitFor()
    await look(page, 'overview-month')
  })

  test('shows the latest failures with their reasons and links', async () => {
    const page = await dashboard.open('/live')
    const failures = page.getByRole('table', { name: 'Latest failures' })
    await failures.getByText('the endpoint responded with 503').first().waitFor()
    await failures.getByText('hooks.example.com').first().waitFor()
    expect(await failures.getByRole('row').count()).toBe(1 + 6)
    await failures.getByRole('link').first().click()
    await page.waitForURL('**/live/deliveries/dlv_*')
    await page.goBack()
    await page.getByRole('link', { name: 'View', exact: true }).first().click()
    await page.waitForURL('**/live/deliveries?status=FAILED')
    checkOffences(page)
  })

  test('shows new failures automatically', async () => {
    const page = await dashboard.open('/live')
    await page.getByRole('table', { name: 'Latest failures' }).waitFor()
    await add('FAILED', 0, 1, 'connection refused')
    // The insert above publishes nothing. A new keyword does: it makes deliveries.
    const client = await dashboard.client()
    const { id } = (await client.post('/projects', { name: 'Blog' })).body.data
    await client.post(`/projects/${id}/keywords`, { keyword: 'coffee' })
    await page.getByText('connection refused').waitFor()
  })

  test('shows why the numbers failed to load, with the request id, and retries', async () => {
    const page = await dashboard.open('/live/settings')
    await page.route('**/api/overview*', route =>
      route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'req-of-the-test', 'content-type': 'application/json' },
        body: JSON.stringify({ error: 'INTERNAL_ERROR', message: 'Something broke in Arden.' }),
      }),
    )
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Something broke in Arden.').waitFor()
    await page.getByText('req-of-the-test').waitFor()
    await look(page, 'overview-failed')
    await page.unroute('**/api/overview*')
    // At once: the page also reads again by itself, after 10 s.
    await page.getByRole('button', { name: 'Try again' }).dispatchEvent('click')
    await page.getByRole('figure').first().waitFor()
  })
})

const add = (
  status: 'DELIVERED' | 'FAILED' | 'RETRYING',
  hoursAgo: number,
  count: number,
  error: string | null = null,
) =>
  addDeliveries(dashboard, {
    status,
    at: new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS + MINUTE_MS / 60),
    count,
    error,
    webhookId: WEBHOOK,
    event: hoursAgo % 2 === 0 ? 'article.published' : 'generation.completed',
  })

const WEBHOOK = 'wh_01kafz3v5tf4qrm8z3x9d2c7ne'

/** A day as it may be: 412 delivered, 8 failed, 2 retrying; 3,000 more in the month. */
const fill = async () => {
  const { sql, accountId } = dashboard
  await sql`
    INSERT INTO webhooks (id, account_id, mode, url, events, secret)
    VALUES (${WEBHOOK}, ${accountId}, 'live', 'https://hooks.example.com/arden', '{article.published}', 'v1')`
  const day = [
    9, 7, 6, 5, 8, 11, 14, 19, 24, 28, 31, 27, 22, 25, 29, 26, 21, 18, 16, 15, 13, 14, 12, 12,
  ]
  let left = 412
  for (const [index, count] of day.entries()) {
    const hoursAgo = 23 - index
    const delivered = index === day.length - 1 ? 12 : Math.min(count, left - 12)
    left -= delivered
    await add('DELIVERED', hoursAgo, delivered)
  }
  await add('DELIVERED', 5, left)
  await add('FAILED', 3, 4, 'the endpoint responded with 503')
  await add('FAILED', 4, 2, 'no response within 30 seconds')
  await add('FAILED', 0, 2, 'the endpoint responded with 503')
  await add('RETRYING', 0, 8)
  for (let ago = 2; ago < 27; ago++) {
    await add('DELIVERED', ago * 24, 120)
    if (ago % 5 === 0) await add('FAILED', ago * 24, ago, 'connection refused')
  }
  await sql`
    INSERT INTO request_hours (account_id, mode, hour, accepted, refused)
    SELECT ${accountId}, 'live', date_trunc('hour', now()) - make_interval(hours => n),
      200 + (n * 37) % 160, CASE WHEN n % 24 BETWEEN 6 AND 8 THEN 40 ELSE 0 END
    FROM generate_series(0, 24 * 28) AS n`
}

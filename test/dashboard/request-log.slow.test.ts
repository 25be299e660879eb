import { expect, test } from 'bun:test'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'
import { logEntryOf, requestIdOf } from '../support/http/request-log'

/** The pages of the request log (contract 2.6). */

const dashboard = await useDashboard({ serve: true })
const UNKNOWN = 'art_01kafz3v5tf4qrm8z3x9d2c7ne'

test('shows failed requests as they come, with filters, and what happened to each', async () => {
  const live = await dashboard.client()
  const page = await dashboard.open('/live/requests')
  await page.getByText('No failed live requests').waitFor()
  const rows = page.getByRole('table', { name: 'Failed requests' }).getByRole('row')
  const missing = await live.get(`/articles/${UNKNOWN}`)
  // The page updates automatically.
  await rows.getByText('404', { exact: true }).waitFor()
  await live.post('/projects', { nmae: 'Blog' })
  await rows.getByText('422', { exact: true }).waitFor()
  await look(page, 'requests')

  await page.getByLabel('Status').selectOption('422')
  await rows.getByText('404', { exact: true }).waitFor({ state: 'detached' })
  await page.getByLabel('Status').selectOption('')
  await page.getByLabel('Method').selectOption('GET')
  await rows.getByText('422', { exact: true }).waitFor({ state: 'detached' })
  await page.getByLabel('Method').selectOption({ label: 'Other' })
  await page.getByText('No matching requests').waitFor()
  await page.getByLabel('Method').selectOption('')
  await page.getByLabel('API key').selectOption({ label: 'test' })
  await page.waitForURL('**/live/requests?key=key_*')
  await rows.getByText('422', { exact: true }).waitFor()
  await page.getByLabel('Request ID').fill(` ${requestIdOf(missing)} `)
  await rows.getByText('422', { exact: true }).waitFor({ state: 'detached' })

  await page.getByRole('link', { name: `GET /api/public/v1/articles/${UNKNOWN}` }).click()
  await page.getByText('NOT_FOUND').waitFor()
  const main = await page.getByRole('main').textContent()
  for (const text of [requestIdOf(missing), missing.body.message, '/api/public/v1/articles/:id'])
    expect(main).toContain(text)
  await look(page, 'request')
  await page.getByRole('link', { name: 'Failed requests of this key' }).click()
  await rows.getByText('422', { exact: true }).waitFor()
  checkOffences(page)
})

test('finds the failed requests of a revoked key', async () => {
  const live = await dashboard.client()
  const { id, key } = (await live.post('/api-keys', { name: 'Leaked', scopes: ['read'] })).body.data
  const path = '/api/public/v1/leaked'
  await fetch(`${dashboard.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  await live.delete(`/api-keys/${id}`)
  const page = await dashboard.open('/live/requests')
  await page.getByLabel('API key').selectOption({ label: 'Leaked (revoked)' })
  await page.waitForURL(`**/live/requests?key=${id}`)
  const rows = page.getByRole('table', { name: 'Failed requests' }).getByRole('row')
  await rows.getByText('422', { exact: true }).waitFor({ state: 'detached' })
  await rows.getByRole('link', { name: `GET ${path}` }).waitFor()
  checkOffences(page)
})

test('leads from the chart to the log, and from a request id in the search to its request', async () => {
  const page = await dashboard.open('/live')
  await page.getByRole('link', { name: 'Failed requests' }).click()
  await page.getByRole('heading', { level: 1, name: 'Request log' }).waitFor()
  const live = await dashboard.client()
  const response = await live.get('/nothing')
  await logEntryOf(live, response)
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search pages and records').fill(requestIdOf(response))
  await page.getByRole('option', { name: 'GET /api/public/v1/nothing' }).click()
  await page.getByText('none: no route has this path').waitFor()
  checkOffences(page)
})

import { expect, test } from 'bun:test'
import { shot, useDashboard } from '../support/dashboard/dashboard'

/** Addresses that were edited by hand, or are of links that have expired. */

const dashboard = await useDashboard()

test('an unknown page is shown beside the navigation', async () => {
  const page = await dashboard.open('/live/no-such-page')
  await page.getByText('Page not found').waitFor()
  await shot(page, 'unknown-page')
  await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
})

test('a filter that does not exist is explained in the words of the page', async () => {
  const page = await dashboard.open('/live/deliveries?status=LOST')
  const problem = page.getByRole('alert').first()
  await problem.getByText('A filter in the address of this page').waitFor()
  expect(await page.getByRole('main').textContent()).not.toContain('must be one of')
  await shot(page, 'wrong-filter')
})

test('a link that is not valid names the command without backticks', async () => {
  const page = await dashboard.open('/sign-in/link#nothing')
  await page.locator('code', { hasText: /^arden users invite$/ }).waitFor()
  expect(await page.getByRole('alert').textContent()).not.toContain('`')
  await shot(page, 'invalid-link')
})

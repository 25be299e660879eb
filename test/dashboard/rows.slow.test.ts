import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { checkOffences, useDashboard } from '../support/dashboard/dashboard'

/** Rows of lists are links to their records. */

const dashboard = await useDashboard()
const live = await dashboard.client()
const hook = (
  await live.post('/webhooks', {
    url: 'https://127.0.0.1:9/arden-hooks',
    events: ['*'],
    description: 'Shop window',
  })
).body.data
const project = (await live.post('/projects', { name: 'Blog' })).body.data
const article = (await live.post('/articles', { project_id: project.id, title: 'Cold brew' })).body
  .data

type Click = Parameters<Locator['click']>[0]
/** The link of the row is above its cells: Playwright would wait until it is gone. */
const ABOVE: Click = { force: true }
/** Clicks that open a link in a new tab. */
const NEW_TAB: Click[] = [
  { ...ABOVE, button: 'middle' },
  { ...ABOVE, modifiers: ['Control'] },
]

const row = (page: Page, list: string) =>
  page.getByRole('table', { name: list, exact: true }).getByRole('row').nth(1)

test('a click on any part of a row opens its record, by the middle button or with Ctrl in a new tab', async () => {
  const lists = [
    ['webhooks', 'Webhooks', `/webhooks/${hook.id}`],
    ['deliveries', 'Deliveries', '/deliveries/dlv_'],
    ['events', 'Events', '/events/evt_'],
    ['projects', 'Projects', `/projects/${project.id}`],
    ['articles', 'Articles', `/articles/${article.id}`],
  ] as const
  for (const [path, name, record] of lists) {
    const page = await dashboard.open(`/live/${path}`)
    const last = row(page, name).getByRole('cell').last()
    await last.waitFor()
    for (const how of NEW_TAB) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), last.click(how)])
      await tab.waitForURL(`**/dashboard/live${record}*`)
      await tab.close()
      expect(page.url()).toEndWith(`/live/${path}`)
    }
    await last.click(ABOVE)
    await page.waitForURL(`**/dashboard/live${record}*`)
    checkOffences(page)
    await page.context().close()
  }
}, 120_000)

test('the keyboard walks the rows and opens one', async () => {
  const page = await dashboard.open('/live/deliveries')
  await row(page, 'Deliveries').getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/live/deliveries/dlv_*')
})

test('controls in a row work without opening the record, and its tooltips appear', async () => {
  const page = await dashboard.open('/live/deliveries')
  const first = row(page, 'Deliveries')
  await first.getByRole('checkbox').check()
  await page.getByText('1 selected').waitFor()
  await first.getByRole('button', { name: /^Copy dlv_/ }).click()
  const id = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(await first.getByRole('link').first().getAttribute('href')).toEndWith(`/${id}`)
  expect(await first.textContent()).toContain(id)
  await first.getByText('Shop window').waitFor()
  const time = first.locator('time')
  const exact = (await time.getAttribute('title')) ?? 'none'
  const box = await time.boundingBox()
  if (box === null) throw new Error('the time is not visible')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  expect(await first.getByRole('link').first().getAttribute('title')).toBe(exact)
  expect(page.url()).toEndWith('/live/deliveries')

  await page.goto(`${dashboard.url}/dashboard/live/articles`)
  await row(page, 'Articles').getByRole('link', { name: 'Blog' }).click()
  await page.waitForURL(`**/live/projects/${project.id}`)
})

test('no control is within another one', async () => {
  for (const path of ['webhooks', 'deliveries', 'events', 'projects', 'articles', 'keys']) {
    const page = await dashboard.open(`/live/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.locator(':is(a, button) :is(a, button, input, select)').count()).toBe(0)
  }
})

test('a record shows its full id to copy', async () => {
  const page = await dashboard.open(`/live/articles/${article.id}`)
  await page.getByRole('button', { name: `Copy ${article.id}` }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(article.id)
})

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { look, shot, useDashboard } from '../support/dashboard/dashboard'

/** The search that ⌘K opens on every page. */

const dashboard = await useDashboard()
const live = await dashboard.client()
const project = (await live.post('/projects', { name: 'Coffee blog' })).body.data
const article = (await live.post('/articles', { project_id: project.id, title: 'Cold brew' })).body
  .data

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const highlighted = (page: Page) => page.locator('[role=option][data-highlighted]')

test('is used by the keyboard alone: opens, finds, walks and follows', async () => {
  const page = await dashboard.open('/live/webhooks')
  const files: string[] = []
  await page.getByText('No live webhooks yet').waitFor()
  page.on('request', request => {
    if (request.url().includes('/assets/')) files.push(request.url())
  })
  await page.keyboard.press('Control+k')
  await dialogOf(page).waitFor()
  // It is loaded when it is first opened.
  expect(files.length).toBeGreaterThan(0)
  await look(page, 'search-pages')
  await page.keyboard.type('cold b')
  await highlighted(page).filter({ hasText: 'Cold brew' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/live/articles/${article.id}`)
  await dialogOf(page).waitFor({ state: 'detached' })

  await page.keyboard.press('Meta+k')
  await page.keyboard.type('co')
  await page.getByRole('option', { name: /Coffee blog/ }).waitFor()
  await shot(page, 'search-results')
  const first = await highlighted(page).textContent()
  await page.keyboard.press('ArrowDown')
  expect(await highlighted(page).textContent()).not.toBe(first)
  await page.keyboard.press('ArrowUp')
  expect(await highlighted(page).textContent()).toBe(first)
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
}, 120_000)

test('has what was typed while it was loading', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByText('No live webhooks yet').waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/**', async route => {
    await held.promise
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('cold b')
  held.resolve()
  await highlighted(page).filter({ hasText: 'Cold brew' }).waitFor()
  expect(await page.getByLabel('Search pages and records').inputValue()).toBe('cold b')
  await page.keyboard.press('Control+k')
  await dialogOf(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  expect(await page.getByLabel('Search pages and records').inputValue()).toBe('')
})

test('has what was typed before its input had the focus, and the page below has none of it', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByText('No live webhooks yet').waitFor()
  await page.keyboard.press('Control+k')
  await dialogOf(page).waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create webhook' }).first().focus()
  // The focus moves in a frame, which comes late on a busy machine.
  await page.evaluate(`{
    const { requestAnimationFrame } = window
    const waiting = []
    window.requestAnimationFrame = callback => waiting.push(callback)
    window.showFrames = () => {
      window.requestAnimationFrame = requestAnimationFrame
      waiting.forEach(callback => requestAnimationFrame(callback))
    }
  }`)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('cold b')
  await page.keyboard.press('Enter')
  await page.evaluate('showFrames()')
  await highlighted(page).filter({ hasText: 'Cold brew' }).waitFor()
  await page.keyboard.type('r')
  expect(await page.getByLabel('Search pages and records').inputValue()).toBe('cold br')
  expect(await page.getByRole('dialog').count()).toBe(1)
})

test('finds a record by its id and a page by its name, and returns the focus', async () => {
  const page = await dashboard.open('/live')
  const button = page.getByRole('button', { name: 'Search' })
  await button.click()
  await page.getByLabel('Search pages and records').fill(project.id)
  const found = page.getByRole('option', { name: /Coffee blog/ })
  await found.waitFor()
  // The focus ring has the shape of the field.
  expect(await page.evaluate('getComputedStyle(document.activeElement).borderRadius')).not.toBe(
    '0px',
  )
  await look(page, 'search')
  expect(await found.getAttribute('href')).toEndWith(`/live/projects/${project.id}`)
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.textContent')).toStartWith('Search')
  await button.click()
  await page.getByLabel('Search pages and records').fill('audit')
  await page.getByRole('option', { name: 'Audit history' }).click()
  await page.waitForURL('**/live/audit')
})

test('shows the ids of two records of one name', async () => {
  const same = await Promise.all([1, 2].map(() => live.post('/projects', { name: 'Tea blog' })))
  const page = await dashboard.open('/live')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search pages and records').fill('tea blog')
  for (const one of same)
    await page
      .getByRole('option', { name: one.body.data.id })
      .filter({ hasText: 'Tea blog' })
      .waitFor()
})

test('leads to the API keys of the status that the key has', async () => {
  const { id } = (await live.post('/api-keys', { name: 'Importer', scopes: ['read'] })).body.data
  await live.delete(`/api-keys/${id}`)
  const page = await dashboard.open('/live')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search pages and records').fill(id)
  await page.getByRole('option', { name: /Importer/ }).click()
  await page.waitForURL('**/live/keys?status=revoked')
  await page.getByRole('table', { name: 'API keys' }).getByText('Importer').waitFor()
})

test('says when nothing is found, and when the server does not respond', async () => {
  const page = await dashboard.open('/live')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search pages and records').fill('no such thing')
  await page.getByText('No results in live mode.').waitFor()
  await page.route('**/api/search*', route => route.abort())
  await page.getByLabel('Search pages and records').fill('nor this')
  await page.getByText('The server did not respond.').waitFor()
})

test('is a button on a phone', async () => {
  const page = await dashboard.open('/live')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('banner').getByRole('button', { name: 'Search' }).click()
  await dialogOf(page).waitFor()
})

import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config'
import { start } from '../../src/start'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'
import { look } from '../support/dashboard/dashboard'
import { startProxy } from '../support/network/proxy'
import { capturePostgresLog } from '../support/operations/postgres-log'

/** Pages while requests get no response, or the database is unavailable (contract 3.17). */

const pages = await useArticlePages()

const OFFLINE = 'You are offline.'
const UNREACHABLE = 'Cannot reach the server.'
const UNAVAILABLE = 'The database is unavailable. Your input is kept'

describe('without a connection', () => {
  test('a cancelled deletion does not happen later', async () => {
    const id = await pages.newArticle('Stays')
    const page = await pages.open(id)
    await bodyOf(page).waitFor()
    await page.context().setOffline(true)
    await page.getByText(OFFLINE).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Delete permanently' }).click()
    await question.getByText('The server did not respond.').waitFor()
    await look(page, 'offline-delete')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Stays here')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    const problem = page.locator('form').getByRole('alert')
    await problem.waitFor()
    // Beside each other the error would cover the button where the bar has two lines.
    const [error, button] = await Promise.all([problem.boundingBox(), save.boundingBox()])
    expect((error?.y ?? 0) + (error?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0)
    await look(page, 'article-not-saved')
    await page.context().setOffline(false)
    await page.getByText(OFFLINE).waitFor({ state: 'detached' })
    await save.click()
    await page.getByText('All changes saved').waitFor()
    expect((await pages.article(id)).title).toBe('Stays here')
  })

  test('the input of a form is kept, and sent when the user tries again', async () => {
    const page = await pages.dashboard.open('/live/projects')
    await page.getByRole('button', { name: 'Create project' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Typed offline')
    await page.context().setOffline(true)
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await dialog.getByText('The server did not respond.').waitFor()
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Typed offline')
    await page.context().setOffline(false)
    await page.getByText(OFFLINE).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await page.getByRole('heading', { name: 'Typed offline' }).waitFor()
  })

  test('a page that is not loaded yet says so, and appears when the connection is back', async () => {
    const page = await pages.dashboard.open('/live/projects')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByText('This page could not be loaded.').waitFor()
    await page.getByText(OFFLINE).waitFor()
    await look(page, 'offline-page')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('This page could not be loaded.').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(page.url()).toEndWith('/live/keys')
  })

  test('a list shows the problem, and is read again when the server responds', async () => {
    await pages.newArticle('Came later')
    const page = await pages.dashboard.open('/live/projects')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    // As a proxy responds while Arden restarts.
    await page.route('**/dashboard/api/**', route =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    )
    await page.getByRole('link', { name: 'Articles' }).click()
    await page.getByText(UNREACHABLE).waitFor()
    await look(page, 'unreachable')
    await page.unroute('**/dashboard/api/**')
    await page.getByRole('link', { name: 'Came later' }).waitFor()
    await page.getByText(UNREACHABLE).waitFor({ state: 'detached' })
  })

  test('the sign-in page says so, too', async () => {
    const page = await pages.dashboard.visit('/sign-in')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(OFFLINE).waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com')
    await look(page, 'offline-sign-in')
  })

  test('a change that is under way is not cancelled by its dialog, and the page says that the server hangs', async () => {
    const page = await pages.dashboard.open('/live/projects')
    await page.getByRole('button', { name: 'Create project' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Slow')
    let go = () => {}
    const released = new Promise<void>(resolve => {
      go = resolve
    })
    await page.route('**/dashboard/api/**', async route => {
      await released
      await route.continue()
    })
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await dialog.getByRole('button', { name: /^Create/, disabled: true }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Close' }).click()
    expect(await dialog.getByRole('button', { name: 'Close anyway' }).count()).toBe(0)
    await page.getByText(UNREACHABLE).waitFor()
    await dialog.getByLabel('Name').waitFor()
    go()
    await page.getByRole('heading', { name: 'Slow' }).waitFor()
    await page.getByText(UNREACHABLE).waitFor({ state: 'detached' })
  })
})

describe('a page that could not be loaded', () => {
  const openWith = async (status: number, error: string) => {
    const page = await pages.dashboard.open('/live/projects')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await page.route('**/dashboard/api/me', route =>
      route.fulfill({
        status,
        headers: { 'x-request-id': 'req-1' },
        json: { error, message: 'It failed.' },
      }),
    )
    await page.reload()
    await page.getByText('It failed.').waitFor()
    await page.unroute('**/dashboard/api/me')
    return page
  }

  test('is loaded when the database is available again', async () => {
    const page = await openWith(503, 'UNAVAILABLE')
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
  })

  test('is loaded again on request', async () => {
    const page = await openWith(500, 'INTERNAL_ERROR')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
  })
})

test('an open page says by itself that the database is unavailable, and reads again when it is back', async () => {
  const { env } = pages.dashboard
  const proxy = startProxy(env.DATABASE_URL ?? '')
  const behind = await start(
    readConfig({ ...env, DATABASE_URL: proxy.url, ARDEN_METRICS_PORT: '0' }),
    { serve: true },
    capturePostgresLog().log,
  )
  const page = await pages.dashboard.open('/live/projects')
  await page.goto(`${behind.url}/dashboard/live/projects`)
  await page.getByRole('link', { name: 'Coffee' }).waitFor()
  proxy.cut()
  await page.getByText(UNAVAILABLE).waitFor()
  expect(await page.getByRole('link', { name: 'Coffee' }).count()).toBe(1)
  await pages.api.post('/projects', { name: 'Made meanwhile' })
  proxy.restore()
  await page.getByText(UNAVAILABLE).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Made meanwhile' }).waitFor()
  await page.close()
  await behind.stop()
  proxy.stop()
})

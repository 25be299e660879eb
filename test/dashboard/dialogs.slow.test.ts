import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useDashboard } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The focus after a dialog has closed, and forms that lack a choice. */

const dashboard = await useDashboard()
const api = await dashboard.client()

const focused = (page: Page) =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? (document.activeElement.id || document.activeElement.textContent)',
  )
const hasFocus = (page: Page, name: string) =>
  until(`${name} has the focus`, async () => (await focused(page)) === name)

/** The page of a new project. */
const openProject = async (name: string) => {
  const { id } = (await api.post('/projects', { name })).body.data
  return dashboard.open(`/live/projects/${id}`)
}

const choose = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('the focus returns to the button, or to the button of the menu, that opened the dialog', async () => {
  const page = await openProject('Coffee')
  await page.getByRole('button', { name: 'Add keyword' }).first().click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await hasFocus(page, 'Add keyword')
  for (const [item, role] of [
    ['Edit', 'dialog'],
    ['Delete', 'alertdialog'],
  ] as const) {
    await page.getByRole('button', { name: 'Actions for Coffee' }).press('Enter')
    await page.getByRole('menuitem', { name: item }).press('Enter')
    await page.getByRole(role).getByRole('button', { name: 'Cancel' }).click()
    await hasFocus(page, 'Actions for Coffee')
  }
})

test('Back of the browser asks before it discards input, and goes back after that', async () => {
  await api.post('/projects', { name: 'Typed' })
  const page = await dashboard.open('/live/projects')
  await page.getByRole('link', { name: 'Typed' }).click()
  await page.getByRole('heading', { name: 'Typed' }).waitFor()
  const url = page.url()
  const back = () => page.evaluate('history.back()')
  await page.getByRole('button', { name: 'Add keyword' }).first().click()
  const keyword = page.getByRole('textbox', { name: 'Keyword' })
  await keyword.fill('cold brew')
  await back()
  await page.getByText('Your changes are not saved.').waitFor()
  await page.getByRole('button', { name: 'Keep open' }).click()
  expect([await keyword.inputValue(), page.url()]).toEqual(['cold brew', url])
  await back()
  await page.getByRole('button', { name: 'Close anyway' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await page.goForward()
  await page.getByRole('button', { name: 'Add keyword' }).first().click()
  // Nothing is typed.
  await back()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
})

test('the page gets the focus when the opener is gone', async () => {
  const page = await openProject('Gone')
  await choose(page, 'Gone', 'Delete')
  await page.getByLabel('To confirm, type Gone').fill('Gone')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await hasFocus(page, 'content')
})

test('a change that fails leaves the focus on its button', async () => {
  const page = await openProject('Kept')
  await page.route('**/v1/projects/*', route =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await choose(page, 'Kept', 'Edit')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter')
  await page.getByText('The server did not respond.').waitFor()
  await hasFocus(page, 'Save')
})

test('an error is shown at the field of a part of the record, or above the buttons', async () => {
  const page = await openProject('Briefed')
  await choose(page, 'Briefed', 'Edit')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Defaults of its generations').click()
  await dialog.getByLabel('Words').fill('5')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Must be a whole number from 100 to 10000.').waitFor()
  await page.route('**/v1/projects/*', route =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 422,
          json: {
            error: 'VALIDATION_ERROR',
            message: 'The request is not valid.',
            details: [{ path: 'other_limit', message: 'must be at most 3' }],
          },
        })
      : route.continue(),
  )
  await dialog.getByLabel('Words').fill('500')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Other limit must be at most 3.').waitFor()
})

test('articles are generated for at most 100 keywords at a time, and the dialog says so', async () => {
  const { id } = (await api.post('/projects', { name: 'Many' })).body.data
  const csv = ['keyword', ...Array.from({ length: 101 }, (_, n) => `keyword ${n}`)].join('\n')
  await api.post(`/projects/${id}/keywords/import`, { csv })
  const page = await dashboard.open(`/live/projects/${id}`)
  const all = page.getByRole('checkbox', { name: /^Select all/ })
  await until('all are shown', async () => {
    const more = page.getByRole('button', { name: 'Show more' })
    if (await more.isVisible()) await more.click()
    return page.getByText('Select all 101 shown').isVisible()
  })
  await all.check()
  await page.getByRole('button', { name: 'Generate 101 articles' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('At most 100 articles are generated at a time.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true)
})

test('nothing can be generated or created without a project, and the dialog says what is missing', async () => {
  const page = await dashboard.open('/test/generations')
  await page.getByRole('button', { name: 'Generate article' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('You have no test projects yet.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true)
  await page.goto(`${dashboard.url}/dashboard/test/articles`)
  await page.getByRole('button', { name: 'Create article' }).first().click()
  await dialog.getByText('You have no test projects yet.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Create draft' }).isDisabled()).toBe(true)
})

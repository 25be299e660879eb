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

test('the focus returns to the button, or to the button of the menu, that opened the dialog', async () => {
  const { id } = (await api.post('/projects', { name: 'Coffee' })).body.data
  const page = await dashboard.open(`/live/projects/${id}`)
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

test('the page gets the focus when the opener is gone', async () => {
  const { id } = (await api.post('/projects', { name: 'Gone' })).body.data
  const page = await dashboard.open(`/live/projects/${id}`)
  await page.getByRole('button', { name: 'Actions for Gone' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByLabel('To confirm, type Gone').fill('Gone')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await hasFocus(page, 'content')
})

test('nothing can be generated or created without a project, and the dialog says what is missing', async () => {
  const page = await dashboard.open('/test/generations')
  await page.getByRole('button', { name: 'Generate article' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('You have no projects yet.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Generate' }).isDisabled()).toBe(true)
  await page.goto(`${dashboard.url}/dashboard/test/articles`)
  await page.getByRole('button', { name: 'Create article' }).first().click()
  await dialog.getByText('You have no projects yet.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Create draft' }).isDisabled()).toBe(true)
})

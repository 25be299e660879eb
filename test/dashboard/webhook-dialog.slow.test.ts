import { expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { shot, useDashboard } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The dialog that creates a webhook. */

const dashboard = await useDashboard()

test('its buttons are in view on a low screen, and its last field can be reached', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.setViewportSize({ width: 1440, height: 600 })
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create', exact: true })
  expect(await bottomOf(create)).toBeLessThan(600)
  await shot(page, 'webhook-dialog')
  await dialog.getByLabel('Description').focus()
  const buttons = await create.boundingBox()
  await until(
    'the field is not behind the buttons',
    async () => (await bottomOf(dialog.getByLabel('Description'))) < (buttons?.y ?? 0),
  )
})

const bottomOf = async (element: Locator) => {
  const box = await element.boundingBox()
  return (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN)
}

test('a text that is not a URL is refused without naming a scheme that is not required', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('example')
  await dialog.getByRole('checkbox').first().check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('Enter a complete URL').waitFor()
})

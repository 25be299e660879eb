import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { shot, useDashboard } from '../support/dashboard/dashboard'
import { waitUntilInView } from '../support/dashboard/in-view'
import { until } from '../support/until'

/** The dialog that creates a webhook. */

/** Nothing responds there. */
const URL = 'http://127.0.0.1:9/hooks'

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

test.each([
  [1366, 650],
  [390, 844],
])('a field that Tab reaches is not behind its buttons at %d x %d', async (width, height) => {
  const page = await dashboard.open('/live/webhooks')
  await page.setViewportSize({ width, height })
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  const description = dialog.getByLabel('Description')
  await until('the field has the focus', async () => {
    await page.keyboard.press('Tab')
    return page.evaluate(`document.activeElement.name === 'description'`)
  })
  await page.keyboard.type('For the newsletter')
  const create = dialog.getByRole('button', { name: 'Create', exact: true })
  const buttons = await create.boundingBox()
  await until(
    'it is above the buttons',
    async () => (await bottomOf(description)) < (buttons?.y ?? 0),
  )
})

test('a wrong header is shown, and gets the focus, where nothing else is wrong', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('http://127.0.0.1:9/')
  await dialog.getByLabel('article.published').check()
  await dialog.getByRole('button', { name: 'Add header' }).click()
  await dialog.getByLabel('Name of header 1').fill('X-Team')
  await dialog.getByRole('button', { name: 'Create', exact: true }).press('Enter')
  await waitUntilInView(dialog.getByText(/^X-Team /))
  await until('it has the focus', () =>
    page.evaluate(`document.activeElement.getAttribute('aria-label') === 'Name of header 1'`),
  )
  await dialog.getByLabel('Value of header 1').fill('content')
  await dialog.getByRole('button', { name: 'Create', exact: true }).press('Enter')
  await page.getByText('whsec_').first().waitFor()
})

test('an edit puts nothing back that changed elsewhere while its dialog was open', async () => {
  const api = await dashboard.client()
  const url = 'http://127.0.0.1:9/shared'
  const { id } = (await api.post('/webhooks', { url, events: ['*'] })).body.data
  const page = await dashboard.open(`/live/webhooks/${id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Description').fill('Mine')
  const theirs = { url: `${url}/new`, headers: { 'X-Team': 'content' } }
  await api.patch(`/webhooks/${id}`, theirs)
  await page.getByText('/shared/new').first().waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Webhook updated').waitFor()
  const { data } = (await api.get(`/webhooks/${id}`)).body
  expect([data.description, data.url, Object.keys(data.headers)]).toEqual([
    'Mine',
    theirs.url,
    ['X-Team'],
  ])
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

test('a URL that was pasted with spaces around it is that URL', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(` ${URL} `)
  await dialog.getByRole('checkbox').first().check()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByLabel('secret', { exact: true }).waitFor()
})

test('two headers of one name are refused, and none is dropped, also beside one that is stored', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(URL)
  await dialog.getByLabel('Description').fill('Two headers')
  await dialog.getByRole('checkbox').first().check()
  await addHeader(page, 'X-Same', 'one')
  await addHeader(page, 'X-Same', 'two')
  const create = dialog.getByRole('button', { name: 'Create', exact: true })
  await create.click()
  await dialog.getByText('X-Same is there twice.').waitFor()
  await dialog.getByLabel('Name of header 2').fill('X-Other')
  await create.click()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByText('X-Other', { exact: true }).waitFor()

  const edit = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
  }
  await edit()
  await addHeader(page, 'x-same', 'three')
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('x-same is there twice.').waitFor()
  await dialog.getByRole('button', { name: 'Remove header X-Same' }).first().click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('x-same', { exact: true }).waitFor()
  expect(await page.getByText('X-Same', { exact: true }).count()).toBe(0)
})

test('a new header gets the focus, and all that is wrong with headers is shown at once', async () => {
  const page = await dashboard.open('/live/webhooks')
  await page.getByRole('button', { name: 'Create webhook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(URL)
  await dialog.getByRole('checkbox').first().check()
  await dialog.getByRole('button', { name: 'Add header' }).press('Enter')
  await page.keyboard.type('Host')
  await dialog.getByLabel('Value of header 1').fill('example.com')
  await addHeader(page, 'Bad name', 'b')
  await addHeader(page, 'X-Empty', '')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('X-Empty must not be empty.').waitFor()
  await dialog.getByText('Host is set by Arden').waitFor()
  await dialog.getByText('Bad name must be the name of an HTTP header').waitFor()
})

const addHeader = async (page: Page, name: string, value: string) => {
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByPlaceholder('Authorization').last().fill(name)
  await page
    .getByLabel(/^Value of header/)
    .last()
    .fill(value)
}

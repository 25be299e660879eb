import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { look, openPersonMenu, useDashboard } from '../support/dashboard/dashboard'
import { addAuthenticator } from '../support/passkeys/chromium'
import { until } from '../support/until'

/** Passkeys in a browser, with Chromium's virtual authenticator. */

// By its name, because an address has no passkeys.
const dashboard = await useDashboard({ serve: true }, {}, 'localhost')

/** Opens a page with an authenticator that confirms everything. */
const open = async (path: string, { isSignedIn = true } = {}): Promise<Page> => {
  const page = await (isSignedIn ? dashboard.open(path) : dashboard.visit(path))
  await addAuthenticator(page)
  return page
}

test('adds a passkey in the settings, signs in with it, renames and removes it', async () => {
  const page = await open('/live/settings')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Continue' }).click()
  const row = page
    .getByRole('table', { name: 'Your passkeys' })
    .getByRole('row', { name: /Laptop.*never/ })
  await row.waitFor()

  // The same authenticator does not get a second one.
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Again')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This device already has a passkey for your user.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await openPersonMenu(page)
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  await page.getByRole('link', { name: 'Settings' }).click()
  const actions = page.getByRole('button', { name: /^Actions for (Laptop|Phone)$/ })
  await actions.click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Phone')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('row', { name: /Phone.*ago/ }).waitFor()
  await look(page, 'settings-passkeys')
  await actions.click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  // The user of this test has no password.
  await page.getByText('It is your only passkey, and you have no password').waitFor()
  await look(page, 'settings-remove-only-passkey')
  // The row goes after the dialog.
  const held = Promise.withResolvers<void>()
  await page.route('**/me/passkeys', async route => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  held.resolve()
  await page.getByText('No passkeys.').waitFor()
  await until('the page has the focus', () =>
    page.evaluate(`document.activeElement.id === 'content'`),
  )
}, 120_000)

test('some time after the sign-in, adding a passkey asks for the password', async () => {
  const page = await open('/live/settings')
  await dashboard.sql`UPDATE people SET password = ${await Bun.password.hash('correct horse battery')}`
  await dashboard.sql`UPDATE sessions SET created_at = now() - interval '1 hour'`
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Tablet')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Current password').fill('correct horse battery')
  await look(page, 'settings-add-passkey')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('row', { name: /Tablet/ }).waitFor()
}, 120_000)

test('says what to do when no passkey is there, and loads its code only then', async () => {
  const page = await open('/sign-in', { isSignedIn: false })
  await page.getByRole('button', { name: 'Continue with a passkey' }).waitFor()
  await look(page, 'sign-in')
  const scripts: string[] = []
  page.on('response', response => {
    if (response.url().endsWith('.js')) scripts.push(response.url())
  })
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await page.getByText(/was cancelled or timed out|cannot use a passkey here/).waitFor()
  expect(scripts.length).toBeGreaterThan(0)
}, 120_000)

import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { look, useDashboard } from '../support/dashboard/dashboard'
import { addAuthenticator } from '../support/passkeys/chromium'

/** Requiring a passkey or single sign-on, in a browser. */

const dashboard = await useDashboard({ serve: true }, {}, 'localhost')

const addPasskey = async (page: Page) => {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Continue' }).click()
}
const requirePasskey = async (page: Page) => {
  await page.getByRole('button', { name: 'Change required sign-in' }).click()
  await page.getByRole('radio', { name: /^Passkey/ }).check()
}

test('an owner requires passkeys, and a member is led to add one', async () => {
  const owner = await dashboard.open('/live/settings')
  await addAuthenticator(owner)
  await requirePasskey(owner)
  await owner.getByRole('button', { name: 'Save' }).click()
  await owner.getByText('before you require one, so that you are not locked out').waitFor()
  await look(owner, 'settings-required-sign-in')
  await owner.getByRole('button', { name: 'Cancel' }).click()
  await addPasskey(owner)
  await owner.getByRole('row', { name: /Laptop/ }).waitFor()
  const open = await dashboard.open('/live/articles?q=coffee', { role: 'member' })
  await open.getByRole('heading', { level: 1, name: 'Articles' }).waitFor()
  await requirePasskey(owner)
  await owner.getByRole('button', { name: 'Save' }).click()
  await owner.getByText('Required sign-in saved').waitFor()
  await open.getByRole('heading', { name: 'Use a passkey' }).waitFor()
  expect(new URL(open.url()).searchParams.get('to')).toBe('/live/articles?q=coffee')

  const member = await dashboard.open('/live/webhooks', { role: 'member' })
  await addAuthenticator(member)
  await member.getByRole('heading', { name: 'Use a passkey' }).waitFor()
  expect(new URL(member.url()).pathname).toBe('/dashboard/sign-in/required')
  await look(member, 'sign-in-required')
  await addPasskey(member)
  // The page that was asked for.
  await member.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()

  // A second session of the same user, with a password only.
  const other = await dashboard.open('/live/webhooks?q=blog', { role: 'member' })
  await other.getByText('You have a passkey: sign out, and sign in with it.').waitFor()
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(new URL(other.url()).searchParams.get('to')).toBe('/live/webhooks?q=blog')

  // Without a session there is nothing to set up.
  const visitor = await dashboard.visit('/sign-in/required?to=/live/webhooks')
  await visitor.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(new URL(visitor.url()).searchParams.get('to')).toBe('/live/webhooks')
}, 180_000)

test('single sign-on that is required without a provider names what an operator does', async () => {
  const { sql, accountId } = dashboard
  await sql`UPDATE accounts SET required_sign_in = 'oidc' WHERE id = ${accountId}`
  const owner = await dashboard.open('/live')
  await owner.getByRole('heading', { name: 'Use single sign-on' }).waitFor()
  await owner.getByText(`arden accounts require-sign-in ${accountId} any`).waitFor()
}, 60_000)

import { expect, test } from 'bun:test'
import { ensurePerson, invitePerson } from '../../src/people/store'
import { look, useDashboard } from '../support/dashboard/dashboard'
import { quietPort } from '../support/network/quiet-ports'
import { useOidcProvider } from '../support/oidc/provider'

/** Sign-in with an OpenID Connect provider, in a browser (contract 3.21, 3.24). */

const port = await quietPort()
const url = `http://127.0.0.1:${port}`
const provider = await useOidcProvider(`${url}/dashboard/sign-in/oidc`)
const dashboard = await useDashboard(
  { serve: true },
  { ...provider.settings, PORT: String(port), ARDEN_PUBLIC_URL: url },
)
const audit = {
  accountId: dashboard.accountId,
  actor: { type: 'cli' as const, id: 'tests', name: 'tests' },
  address: null,
}
const invite = (email?: string) =>
  dashboard.sql.begin(tx => invitePerson(tx, audit, { role: 'viewer', ...(email && { email }) }))
const BUTTON = { name: 'Continue with single sign-on' }

test('signs in with the provider, and returns to the page that was requested', async () => {
  await dashboard.sql.begin(tx =>
    ensurePerson(tx, dashboard.accountId, 'ada@example.com', 'viewer'),
  )
  provider.signInAs({ sub: 'ada', email: 'ada@example.com' })
  const page = await dashboard.visit('/live/settings')
  await page.getByRole('button', BUTTON).waitFor()
  await look(page, 'sign-in-oidc')
  await page.getByRole('button', BUTTON).click()
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  expect(page.url()).toBe(`${url}/dashboard/live/settings`)
  await page.getByRole('row', { name: /ada@example.com.*you/ }).waitFor()
}, 60_000)

test('accepts an invitation with the provider', async () => {
  const { token } = await invite()
  provider.signInAs({ sub: 'bob', email: 'bob@example.com' })
  const page = await dashboard.visit(`/sign-in/link#${token}`)
  await page.getByRole('button', BUTTON).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('asks for no password where the account requires single sign-on', async () => {
  await dashboard.sql`UPDATE accounts SET required_sign_in = 'oidc' WHERE id = ${dashboard.accountId}`
  const { token } = await invite()
  provider.signInAs({ sub: 'cleo', email: 'cleo@example.com' })
  const page = await dashboard.visit('/sign-in')
  // Whether a provider is configured is known from the link.
  await page.route('**/open/options', route => route.abort())
  await page.goto(page.url().replace('/sign-in', `/sign-in/link#${token}`))
  await page.getByText('requires single sign-on').waitFor()
  expect(await page.getByLabel('Choose a password').count()).toBe(0)
  await look(page, 'invitation-oidc')
  await page.getByRole('button', BUTTON).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  const reset = await invite('cleo@example.com')
  const again = await dashboard.visit(`/sign-in/link#${reset.token}`)
  await again.getByRole('heading', { name: 'Use single sign-on' }).waitFor()
  expect(await again.getByLabel('Choose a password').count()).toBe(0)
  await again.getByRole('button', BUTTON).click()
  await again.getByRole('heading', { name: 'Overview' }).waitFor()
  await dashboard.sql`UPDATE accounts SET required_sign_in = NULL WHERE id = ${dashboard.accountId}`
})

test('says why a user of the provider cannot sign in', async () => {
  provider.signInAs({ sub: 'eve', email: 'eve@example.com' })
  const page = await dashboard.visit('/sign-in')
  await page.getByRole('button', BUTTON).click()
  await page.getByText('eve@example.com is no user here and is not invited.').waitFor()
  expect(page.url()).toBe(`${url}/dashboard/sign-in/oidc`)
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

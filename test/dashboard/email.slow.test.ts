import { expect, test } from 'bun:test'
import { look, openPersonMenu, useDashboard } from '../support/dashboard/dashboard'
import { tokenIn, useMailServer } from '../support/mail/server'
import { quietPort } from '../support/network/quiet-ports'

/** The pages around emails, in a browser. */

const server = await useMailServer()
// Its port is free: the URL of the dashboard is also its public one.
const port = await quietPort()
const dashboard = await useDashboard(
  { serve: true, worker: true },
  {
    PORT: String(port),
    ARDEN_SMTP_URL: server.url,
    ARDEN_MAIL_FROM: 'Arden <arden@example.com>',
    ARDEN_PUBLIC_URL: `http://127.0.0.1:${port}`,
  },
)

test('an invitation is sent, and a forgotten password is replaced by the link of an email', async () => {
  const page = await dashboard.open('/live/settings')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email').fill('ada@example.com')
  await look(page, 'settings-invite-by-email')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByText('An email to ada@example.com is on its way').waitFor()
  const invitation = await server.mailTo('ada@example.com')
  const joined = await dashboard.visit(`/sign-in/link#${tokenIn(invitation)}`)
  await joined.getByLabel('Choose a password').fill('correct horse battery')
  await joined.getByRole('button', { name: 'Sign in' }).click()
  await joined.getByRole('heading', { name: 'Overview' }).waitFor()

  const hasty = await dashboard.visit('/live/webhooks')
  await hasty.getByRole('link', { name: 'Forgot your password?' }).click()
  await hasty.getByRole('link', { name: 'Back to sign-in' }).click()
  await hasty.getByLabel('Email').fill('ada@example.com')
  await hasty.getByLabel('Password').fill('correct horse battery')
  await hasty.getByRole('button', { name: 'Sign in', exact: true }).click()
  await hasty.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()

  const visitor = await dashboard.visit('/sign-in')
  await visitor.getByRole('link', { name: 'Forgot your password?' }).click()
  await look(visitor, 'forgot-password')
  await visitor.getByLabel('Email').fill('ada@example.com')
  await visitor.getByRole('button', { name: 'Send a link' }).click()
  await visitor.getByRole('heading', { name: 'Check your email' }).waitFor()
  await look(visitor, 'forgot-password-sent')
  const reset = await server.mailTo('ada@example.com', 2)
  expect(reset.parsed.subject).toBe('Reset your Arden password')
  const chosen = await dashboard.visit(`/sign-in/link#${tokenIn(reset)}`)
  await chosen.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  await look(chosen, 'link-reset')
  await chosen.getByLabel('Choose a password').fill('another horse battery')
  await chosen.getByRole('button', { name: 'Sign in' }).click()
  await chosen.getByRole('heading', { name: 'Overview' }).waitFor()
  await openPersonMenu(chosen)
  await chosen.getByRole('menuitem', { name: 'Sign out' }).click()
  await chosen.getByRole('link', { name: 'Forgot your password?' }).waitFor()

  const used = await dashboard.visit(`/sign-in/link#${tokenIn(reset)}`)
  await used.getByRole('heading', { name: 'This link is not valid' }).waitFor()
  await used.getByRole('link', { name: 'Get a link for a new password by email' }).click()
  await used.getByRole('heading', { name: 'Reset your password' }).waitFor()
}, 120_000)

test.each(['anna@müller-berge.de', 'jörg@example.org'])(
  '%s can sign in as invited, and gets a link for a forgotten password',
  async email => {
    const page = await dashboard.open('/live/settings')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText(`An email to ${email} is on its way`).waitFor()
    const joined = await dashboard.visit(`/sign-in/link#${tokenIn(await server.mailTo(email))}`)
    await joined.getByLabel('Choose a password').fill('correct horse battery')
    await joined.getByRole('button', { name: 'Sign in' }).click()
    await joined.getByRole('heading', { name: 'Overview' }).waitFor()

    const visitor = await dashboard.visit('/forgot-password')
    await visitor.goto(`${dashboard.url}/dashboard/sign-in?to=/live/projects&ended=1`)
    await visitor.getByText('Your session has ended.').waitFor()
    await visitor.getByLabel('Email').fill(email)
    await visitor.getByLabel('Password').fill('correct horse battery')
    await visitor.getByRole('button', { name: 'Sign in', exact: true }).click()
    await visitor.getByRole('heading', { name: 'Projects' }).waitFor()
    // Back leads to the page before the sign-in page, which would say that the session has ended.
    await visitor.goBack()
    await visitor.waitForURL('**/forgot-password')
    const forgetful = await dashboard.visit('/forgot-password')
    await forgetful.getByLabel('Email').fill(email)
    await forgetful.getByRole('button', { name: 'Send a link' }).click()
    const reset = await server.mailTo(email, 2)
    expect(reset.parsed.subject).toBe('Reset your Arden password')
  },
  60_000,
)

test('an open list of pending links says that an email was refused', async () => {
  server.refuseWith(550)
  const page = await dashboard.open('/live/settings')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email').fill('gone@example.com')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  const row = page.getByRole('row', { name: /gone@example\.com/ })
  await row.getByText('Email not sent. The mail server refuses the address').waitFor()
  await look(page, 'settings-email-refused')
}, 120_000)

import { describe, expect, test } from 'bun:test'
import {
  checkOffences,
  look,
  openPersonMenu,
  shot,
  useDashboard,
} from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The page of settings. */
const dashboard = await useDashboard()

describe('people', () => {
  test('invites a user by a link that is shown once, and signs in by it', async () => {
    const page = await dashboard.open('/live/settings')
    // Signed in without a password, as by the link of `dev`.
    await page.getByRole('row', { name: /owner@example.com.*Active/ }).waitFor()
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Email').fill('not an address')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Must be an email address, such as ada@example.com.').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('not an address')
    await look(page, 'settings-invite')
    await page.route('**/people/invitations', route => route.abort())
    await page.getByLabel('Email').fill('bob@example.com')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('The server did not respond.').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('bob@example.com')
    await page.unroute('**/people/invitations')
    await page.getByRole('button', { name: 'Create link' }).click()
    const shown = page.getByLabel('link', { exact: true })
    const link = (await shown.textContent()) ?? ''
    expect(link).toStartWith(`${dashboard.url}/dashboard/sign-in/link#`)
    await look(page, 'settings-link')
    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    await page
      .getByRole('table', { name: 'Pending links' })
      .getByRole('row', { name: /bob@example.com/ })
      .waitFor()
    expect(await page.content()).not.toContain(link)

    const other = await dashboard.visit(link.slice(`${dashboard.url}/dashboard`.length))
    await other.getByLabel('Choose a password').fill('correct horse battery')
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'Overview' }).waitFor()
    // The list of the owner updates.
    await page.getByRole('row', { name: /bob@example.com.*Active/ }).waitFor()
    await page.getByRole('table', { name: 'Pending links' }).waitFor({ state: 'detached' })
  })

  test('changes a role, and disables and enables a user, after describing what that does', async () => {
    const page = await dashboard.open('/live/settings')
    const bob = page.getByRole('row', { name: /bob@example.com/ })
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for bob@example.com' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Change role')
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await look(page, 'settings-role')
    await page.getByRole('button', { name: 'Save' }).click()
    await bob.getByText('Viewer').waitFor()

    await act('Disable')
    const dialog = page.getByRole('alertdialog')
    expect(await dialog.textContent()).toContain('signed out everywhere immediately')
    await look(page, 'settings-disable')
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await bob.getByText('Disabled').waitFor()
    const sessions = await dashboard.sql`
      SELECT FROM sessions s JOIN people p ON p.id = s.person_id WHERE p.email = 'bob@example.com'`
    expect(sessions.length).toBe(0)

    await act('Enable')
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await bob.getByText('Active').waitFor()
    await act('Reset password')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = (await page.getByLabel('link', { exact: true }).textContent()) ?? ''
    checkOffences(page)
    const chosen = await dashboard.visit(link.slice(`${dashboard.url}/dashboard`.length))
    await chosen.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    const history = await dashboard.open('/live/audit')
    await history.getByText('Created a link for a new password of').waitFor()
  })

  test('a pending link is listed until it is revoked', async () => {
    const page = await dashboard.open('/live/settings')
    const links = page.getByRole('table', { name: 'Pending links' })
    const link = links.getByRole('row', { name: /bob@example.com.*owner@example.com/ })
    await link.waitFor()
    await look(page, 'settings-links')
    await link.getByRole('button', { name: 'Revoke' }).click()
    await look(page, 'settings-revoke-link')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await link.waitFor({ state: 'detached' })
    await page.getByText('No pending links.').waitFor()
    checkOffences(page)
  })

  test('warns before owners change their own role or disable themselves', async () => {
    const page = await dashboard.open('/live/settings')
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for owner@example.com' }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Change role')
    const warning = page.getByText('only another owner can change it back')
    expect(await warning.isVisible()).toBe(false)
    await page.getByRole('radio', { name: 'Member' }).check()
    await warning.waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await act('Disable')
    await page.getByText('another owner has to enable you again').waitFor()
  })

  test('shows that the last owner must stay an owner, and keeps the selection', async () => {
    const page = await dashboard.open('/live/settings')
    await page.getByRole('button', { name: 'Actions for owner@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Change role' }).click()
    await page.getByRole('radio', { name: 'Member' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This is the only owner of the account.').waitFor()
    await page.getByText(/^Request ID [0-9a-f]/).waitFor()
    expect(await page.getByRole('radio', { name: 'Member' }).isChecked()).toBeTrue()
    await shot(page, 'settings-last-owner')
  })

  test('shows members and viewers the users without buttons that change them', async () => {
    for (const role of ['member', 'viewer'] as const) {
      const page = await dashboard.open('/live/settings', { role })
      await page.getByRole('row', { name: /owner@example.com/ }).waitFor()
      expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
      expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
      expect(await page.getByRole('heading', { name: 'System' }).count()).toBe(0)
      if (role === 'viewer') await shot(page, 'settings-viewer')
      await page.context().close()
    }
  })
})

describe('the own sessions', () => {
  const signInAsBob = async (password: string) => {
    const page = await dashboard.visit('/sign-in?to=/live/settings')
    await page.getByLabel('Email').fill('bob@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    return page
  }

  test('ends one session, then all', async () => {
    const elsewhere = await dashboard.open('/live/settings', { role: 'member' })
    const page = await dashboard.open('/live/settings', { role: 'member' })
    await dashboard.sql`DELETE FROM sessions s USING people p
      WHERE p.id = s.person_id AND p.email = 'member@example.com'
        AND s.id NOT IN (SELECT id FROM sessions ORDER BY id DESC LIMIT 2)`
    await page.reload()
    const sessions = page.getByRole('table', { name: 'Your sessions' }).getByRole('row')
    await page.getByText('this session').waitFor()
    expect(await sessions.count()).toBe(1 + 2)
    await page.getByRole('button', { name: /^Sign out .*, signed in .*\d/ }).click()
    await page.getByText('Session ended').waitFor()
    await until('the page has the focus of the row that is gone', () =>
      page.evaluate(`document.activeElement.id === 'content'`),
    )
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor()

    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    const dialog = page.getByRole('alertdialog')
    await shot(page, 'settings-everywhere')
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const left = await dashboard.sql`
      SELECT FROM sessions s JOIN people p ON p.id = s.person_id WHERE p.email = 'member@example.com'`
    expect(left.length).toBe(0)
  })

  test('changes the password, and shows errors at their fields', async () => {
    const page = await signInAsBob('correct horse battery')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Current password').fill('wrong')
    await page.getByLabel('New password').fill('another good one')
    await page.getByRole('button', { name: 'Update password', exact: true }).click()
    await page.getByText('Is not your password.').waitFor()
    await shot(page, 'settings-password')
    await page.getByLabel('Current password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Update password', exact: true }).click()
    await page.getByText('Password changed').waitFor()
    checkOffences(page)
  })

  test('lists a session that begins or ends elsewhere', async () => {
    await dashboard.sql`DELETE FROM sessions`
    const page = await signInAsBob('another good one')
    const sessions = page.getByRole('table', { name: 'Your sessions' }).getByRole('row')
    const count = (expected: number) =>
      until(`${expected} are listed`, async () => (await sessions.count()) === 1 + expected)
    await count(1)
    const elsewhere = await signInAsBob('another good one')
    await count(2)
    await openPersonMenu(elsewhere)
    await elsewhere.getByRole('menuitem', { name: 'Sign out' }).click()
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(elsewhere.url()).search).toBe('')
    await count(1)
  })
})

describe('plan and system', () => {
  test('shows the plan, its usage, the age of the encryption key and the checks of the system', async () => {
    await dashboard.sql`UPDATE deployment SET encryption_key_since = now() - interval '41 days'`
    const page = await dashboard.open('/live/settings')
    await page.getByText('100 left this month.').waitFor()
    const checks = page.getByRole('list', { name: 'Checks' })
    await checks.getByText('No worker has been seen for').waitFor()
    await page.getByText('for 41 days').waitFor()
    await look(page, 'settings')
    await page.getByText('for 41 days').scrollIntoViewIfNeeded()
    await shot(page, 'settings-system')
    const checkedAt = () =>
      page
        .getByText(/^Checked/)
        .getByRole('time')
        .getAttribute('datetime')
    const before = await checkedAt()
    await page.getByRole('button', { name: 'Check again' }).click()
    await until('it is checked again', async () => (await checkedAt()) !== before)
  })
})

import { describe, expect, test } from 'bun:test'
import { ensurePerson, invitePerson } from '../../src/people/store'
import { checkOffences, look, openPersonMenu, useDashboard } from '../support/dashboard/dashboard'
import { settled } from '../support/settled'
import { until } from '../support/until'

/** Signing in, and the frame of every page. */
const dashboard = await useDashboard()

const background = 'getComputedStyle(document.querySelector("aside")).backgroundColor'

describe('signing in', () => {
  test('works by invitation, then by password, and continues to the requested page', async () => {
    const { token } = await dashboard.sql.begin(tx =>
      invitePerson(
        tx,
        {
          accountId: dashboard.accountId,
          actor: { type: 'cli', id: 'tests', name: 'tests' },
          address: null,
        },
        { role: 'owner' },
      ),
    )
    const page = await dashboard.visit(`/sign-in/link#${token}`)
    await page.getByText('You are invited').waitFor()
    // The token stays neither in the address nor in the history.
    expect(page.url()).not.toContain(token)
    await page.reload()
    await page.getByText('Open the link again').waitFor()
    await page.evaluate(`location.hash = '${token}'`)
    await page.getByText('You are invited').waitFor()
    expect(page.url()).not.toContain(token)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Choose a password').fill('short')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Must have 10 to 200 characters.').waitFor()
    await look(page, 'invitation')
    await page.getByLabel('Choose a password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await openPersonMenu(page)
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${dashboard.url}/dashboard/test/keys?status=revoked`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The email address or the password is wrong.').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com')
    await look(page, 'sign-in')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No matching API keys').waitFor()
    expect(page.url()).toEndWith('/dashboard/test/keys?status=revoked')
  })

  test('works by an invitation whose address another user has by now, with another address', async () => {
    const by = {
      accountId: dashboard.accountId,
      actor: { type: 'cli', id: 'tests', name: 'tests' },
      address: null,
    } as const
    const email = 'grace@example.com'
    const { token } = await dashboard.sql.begin(tx =>
      invitePerson(tx, by, { email, role: 'viewer' }),
    )
    const accountId = await dashboard.newAccount()
    await dashboard.sql.begin(tx => ensurePerson(tx, accountId, email, 'owner'))
    const page = await dashboard.visit(`/sign-in/link#${token}`)
    await page.getByLabel('Choose a password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .getByText('A user with the email address grace@example.com already exists.')
      .waitFor()
    await page.getByLabel('Email').fill('grace@example.org')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  test('shows what to do when a link was already used', async () => {
    const page = await dashboard.visit('/sign-in/link#nothing')
    await page.getByText('ask for another').waitFor()
    await look(page, 'link-used')
  })

  test('never redirects to another site', async () => {
    for (const to of ['https://evil.example/', '//evil.example/', '/live//evil.example']) {
      const page = await dashboard.visit(`/sign-in?to=${encodeURIComponent(to)}`)
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Password').fill('correct horse battery')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ state: 'detached' })
      expect(new URL(page.url()).origin).toBe(dashboard.url)
      checkOffences(page)
      await page.context().close()
    }
  })
})

describe('the shell', () => {
  test('shows the mode in address and colour, and switches it on the same page', async () => {
    const page = await dashboard.open('/live/keys')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    const live = await page.evaluate(background)
    // Its page is loaded in advance, and not shown.
    await page.getByRole('link', { name: 'Test', exact: true }).hover()
    const isTest = `document.documentElement.dataset.mode === 'test' || localStorage.getItem('arden.mode') === 'test'`
    const shown = until('test mode is shown', () => page.evaluate<boolean>(isTest), 2)
    expect(await settled(shown)).toThrow('test mode is shown')
    await page.getByRole('link', { name: 'Test', exact: true }).click()
    await page.waitForURL('**/test/keys')
    await page.getByText('Test mode.').waitFor()
    expect(await page.evaluate(background)).not.toBe(live)
    await look(page, 'test-mode')
    // The next visit begins where this one was.
    await page.goto(`${dashboard.url}/dashboard/`)
    await page.waitForURL('**/dashboard/test')
  })

  test('leads to the sign-in page and back when a session ends', async () => {
    const page = await dashboard.open('/live/keys?status=all', { role: 'member' })
    await page.getByRole('table').or(page.getByText('No matching API keys')).waitFor()
    await dashboard.sql`DELETE FROM sessions`
    // The page requests the use of the limits by itself.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).searchParams.get('to')).toBe('/live/keys?status=all')
  })

  test('shows that the rate limit is exceeded, and the page as soon as requests are accepted', async () => {
    const page = await dashboard.open('/live/keys', { role: 'viewer' })
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await dashboard.sql`
      UPDATE person_windows SET requests = 3000, began_at = clock_timestamp() - interval '35 seconds'`
    await page.getByRole('link', { name: 'Audit history' }).click()
    await page
      .getByText(/^Rate limit of 3000 requests per minute exceeded. Try again in \d+ seconds.$/)
      .first()
      .waitFor()
    await page.getByRole('table').waitFor()
    await page.getByText('Rate limit of').waitFor({ state: 'detached' })
    checkOffences(page)
  })

  test('stays where it is when the focus is on its last button, and so does the page', async () => {
    const page = await dashboard.open('/live')
    await page.getByText('Plan and usage').first().waitFor()
    await page.setViewportSize({ width: 1440, height: 820 })
    const button = page.getByRole('complementary').getByRole('button', { name: /@example/ })
    await button.focus()
    expect(await page.evaluate('document.documentElement.scrollHeight > innerHeight')).toBe(true)
    expect(await page.evaluate('scrollY')).toBe(0)
  })

  test('stores the choice of light or dark', async () => {
    const page = await dashboard.open('/live/settings')
    await openPersonMenu(page)
    await look(page, 'person-menu')
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    expect(await theme()).toBe('dark')
    await page.reload()
    expect(await theme()).toBe('dark')
  })

  test('the menu of the user stays where it is while the page scrolls', async () => {
    const page = await dashboard.open('/live/settings')
    await page.getByRole('heading', { name: 'System' }).waitFor()
    await openPersonMenu(page)
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    // Without an event between them: a click between a scroll and its event would miss.
    const result = await page.evaluate(`(() => {
      const top = () => document.querySelector('[role=menuitem]').getBoundingClientRect().top
      scrollTo(0, 0)
      const before = top()
      scrollTo(0, 60)
      return { scrolled: scrollY, moved: top() - before }
    })()`)
    expect(result).toEqual({ scrolled: 60, moved: 0 })
  })

  test('shows the pages in a drawer on a phone, and the mode above the page', async () => {
    const page = await dashboard.open('/live/keys')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'Test', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pages' }).click()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    checkOffences(page)
  })
})

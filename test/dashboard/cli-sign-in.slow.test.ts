import { expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { look, useDashboard } from '../support/dashboard/dashboard'
import { goArden, runArden } from '../support/process'
import { until } from '../support/until'

/** `arden login` with a real browser: the page that approves it (contract 3.23). */
const dashboard = await useDashboard()

test('shows the code of the terminal, and gives it a key with the chosen mode and scope', async () => {
  const env = { XDG_CONFIG_HOME: await mkdtemp(join(tmpdir(), 'arden-profiles-')) }
  const { child, printed } = goArden(['login', '--no-browser', '--url', dashboard.url], env)
  await until('it shows the link', () => /http\S+\n/.test(printed.err))
  const [link = ''] = /http\S+/.exec(printed.err) ?? []
  const [code = ''] = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(printed.err) ?? []

  const page = await dashboard.open(link.slice(`${dashboard.url}/dashboard`.length))
  await page.getByText(code, { exact: true }).waitFor()
  await look(page, 'connect')
  await page.getByLabel('Name').fill('My laptop')
  await page.getByLabel('Read only').check()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Approved').waitFor()
  await look(page, 'connect-approved')

  expect(await child.exited).toBe(0)
  await until('its output is read', () => printed.out.includes('My laptop'))
  expect((await runArden(['projects', 'list'], env)).code).toBe(0)
  expect((await runArden(['projects', 'create', '--name', 'x'], env)).code).toBe(4)

  await page.reload()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('You have already approved this sign-in.').waitFor()
  await look(page, 'connect-again')
})

test('asks a user without a session to sign in first, and returns to the page', async () => {
  const page = await dashboard.visit(`/test/connect?challenge=${'A'.repeat(43)}&client=me@laptop`)
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('to')).toContain(`challenge=${'A'.repeat(43)}`)
})

test('says so when the link is not complete, and when a viewer may not approve it', async () => {
  const broken = await dashboard.open('/test/connect?challenge=AAAA')
  await broken.getByText('This link is not complete').waitFor()
  await look(broken, 'connect-broken')
  const viewer = await dashboard.open(`/test/connect?challenge=${'B'.repeat(43)}`, {
    role: 'viewer',
  })
  await viewer.getByText('Viewers cannot create API keys').waitFor()
  expect(await viewer.getByRole('button', { name: 'Create key' }).count()).toBe(0)
})
